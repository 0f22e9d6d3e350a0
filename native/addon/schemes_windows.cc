// Schemes of Windows: keys of the registry below HKEY_CURRENT_USER, which need no rights of an administrator.
// See "Registering an Application to a URI Scheme" of Microsoft's documentation.
#include <windows.h>

#include <shlobj.h>

#include "../shared/windows_quoting.h"
#include "system.h"
#include "windows_text.h"

namespace rallypoint {

namespace {

const std::wstring kClasses = L"Software\\Classes\\";
const wchar_t* const kCommand = L"\\shell\\open\\command";
const std::wstring kChoices = L"Software\\Microsoft\\Windows\\Shell\\Associations\\UrlAssociations\\";
const wchar_t* const kChoice = L"\\UserChoice";
// A scheme's key has no field for its author, so this value marks ours.
const wchar_t* const kWriter = L"RallypointId";

std::optional<std::wstring> read_text(HKEY root, const std::wstring& key, const wchar_t* name) {
  DWORD bytes = 0;
  if (RegGetValueW(root, key.c_str(), name, RRF_RT_REG_SZ, nullptr, nullptr, &bytes) != ERROR_SUCCESS) return std::nullopt;
  std::wstring text(bytes / sizeof(wchar_t), L'\0');
  if (RegGetValueW(root, key.c_str(), name, RRF_RT_REG_SZ, nullptr, text.data(), &bytes) != ERROR_SUCCESS) {
    return std::nullopt;
  }
  text.resize(bytes / sizeof(wchar_t));
  while (!text.empty() && text.back() == L'\0') text.pop_back();
  return text;
}

LSTATUS write_text(const std::wstring& key, const wchar_t* name, const std::wstring& text) {
  const auto bytes = static_cast<DWORD>((text.size() + 1) * sizeof(wchar_t));
  return RegSetKeyValueW(HKEY_CURRENT_USER, key.c_str(), name, REG_SZ, text.c_str(), bytes);
}

// Of a class, by whoever has it: the user, or the machine. HKEY_CLASSES_ROOT is to show both as one, but does not for
// every kind of process.
std::optional<std::wstring> read_class(const std::wstring& key, const wchar_t* name) {
  if (auto own = read_text(HKEY_CURRENT_USER, kClasses + key, name)) return own;
  return read_text(HKEY_CLASSES_ROOT, key, name);
}

// What a command starts with, without its quotes.
std::wstring program_of(const std::wstring& command) {
  if (!command.empty() && command.front() == L'"') return command.substr(1, command.find(L'"', 1) - 1);
  return command.substr(0, command.find(L' '));
}

bool is_there(const std::wstring& program) {
  // The system searches PATH for a bare name.
  if (program.find(L'\\') == std::wstring::npos) return !program.empty();
  return GetFileAttributesW(program.c_str()) != INVALID_FILE_ATTRIBUTES;
}

std::optional<Handler> handler_at(const std::wstring& key, const std::wstring& id) {
  const auto command = read_class(key + kCommand, nullptr);
  if (!command || !is_there(program_of(*command))) return std::nullopt;
  return Handler{to_utf8(id), to_utf8(*command)};
}

void announce_change() { SHChangeNotify(SHCNE_ASSOCCHANGED, SHCNF_IDLIST, nullptr, nullptr); }

}  // namespace

Outcome<std::optional<Handler>> handler_of(const std::string& scheme) {
  const std::wstring key = to_wide(scheme);
  // What the person chose in the settings comes before what programs registered.
  if (const auto chosen = read_text(HKEY_CURRENT_USER, kChoices + key + kChoice, L"ProgId")) {
    if (auto handler = handler_at(*chosen, *chosen)) return handler;
  }
  if (!read_class(key, L"URL Protocol")) return std::optional<Handler>();
  return handler_at(key, read_class(key, kWriter).value_or(key));
}

Outcome<Done> register_scheme(const Registration& registration) {
  const std::wstring key = kClasses + to_wide(registration.scheme);
  std::wstring command;
  for (const std::string& part : registration.command) command += quoted_argument(to_wide(part)) + L" ";
  command += L"\"%1\"";
  const LSTATUS results[] = {
      write_text(key, nullptr, L"URL:" + to_wide(registration.name)),
      write_text(key, L"URL Protocol", L""),
      write_text(key, kWriter, to_wide(registration.id)),
      write_text(key + kCommand, nullptr, command),
  };
  for (const LSTATUS result : results) {
    if (result != ERROR_SUCCESS) return windows_failure(static_cast<DWORD>(result), "write the key of " + registration.scheme);
  }
  announce_change();
  return Done{};
}

Outcome<Done> unregister_scheme(const std::string& scheme, const std::string& id) {
  const std::wstring key = kClasses + to_wide(scheme);
  if (read_text(HKEY_CURRENT_USER, key, kWriter) != to_wide(id)) return Done{};
  const LSTATUS result = RegDeleteTreeW(HKEY_CURRENT_USER, key.c_str());
  if (result != ERROR_SUCCESS && result != ERROR_FILE_NOT_FOUND) {
    return windows_failure(static_cast<DWORD>(result), "delete the key of " + scheme);
  }
  announce_change();
  return Done{};
}

}  // namespace rallypoint
