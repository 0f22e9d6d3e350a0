// Locks of Windows, by LockFileEx on the whole file. The handle is not inherited by children.
#include <windows.h>

#include "system.h"
#include "windows_text.h"

namespace rallypoint {

namespace {

// Far behind any byte of the file, so that reading it stays free; a lock may lie where no byte is.
constexpr DWORD kLockedAtHigh = 0x40000000;

// What is at the path itself is opened, never what a link there leads to.
constexpr DWORD kFlags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT;

bool is_plain_file(HANDLE file) {
  BY_HANDLE_FILE_INFORMATION information;
  return GetFileInformationByHandle(file, &information) &&
         !(information.dwFileAttributes & (FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY));
}

}  // namespace

Outcome<std::unique_ptr<Lock>> try_lock(const std::string& path) {
  // Not shared for deletion, so that a locked file cannot be replaced.
  const HANDLE file = CreateFileW(to_wide(path).c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                  nullptr, OPEN_ALWAYS, kFlags, nullptr);
  if (file == INVALID_HANDLE_VALUE) return windows_failure(GetLastError(), "open " + path);
  auto lock = std::make_unique<Lock>(reinterpret_cast<std::intptr_t>(file));
  if (!is_plain_file(file)) return Failure{"ELOOP", "no plain file, " + path};
  OVERLAPPED where = {};
  where.OffsetHigh = kLockedAtHigh;
  if (LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where)) return lock;
  const DWORD error = GetLastError();
  if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING) return std::unique_ptr<Lock>();
  return windows_failure(error, "lock " + path);
}

void Lock::release() {
  if (handle_ == kReleased) return;
  CloseHandle(reinterpret_cast<HANDLE>(handle_));
  handle_ = kReleased;
}

}  // namespace rallypoint
