#include "windows_text.h"

namespace rallypoint {

namespace {

const char* name_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      return "ENOENT";
    case ERROR_ACCESS_DENIED:
      return "EACCES";
    case ERROR_SHARING_VIOLATION:
      return "EBUSY";
    case ERROR_TOO_MANY_OPEN_FILES:
      return "EMFILE";
    case ERROR_DISK_FULL:
      return "ENOSPC";
    case ERROR_WRITE_PROTECT:
      return "EROFS";
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return "ENOMEM";
    case ERROR_INVALID_PARAMETER:
      return "EINVAL";
    default:
      return "EUNKNOWN";
  }
}

}  // namespace

std::wstring to_wide(const std::string& text) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring wide(static_cast<size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), wide.data(), length);
  return wide;
}

std::string to_utf8(const std::wstring& text) {
  const int units = static_cast<int>(text.size());
  const int length = WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<size_t>(length), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, utf8.data(), length, nullptr, nullptr);
  return utf8;
}

Failure windows_failure(DWORD error, const std::string& what) {
  return {name_of(error), what + ": error " + std::to_string(error) + " of the system"};
}

}  // namespace rallypoint
