#pragma once

#include <windows.h>

#include <string>

#include "system.h"

namespace rallypoint {

// UTF-8 to the UTF-16 of the system's calls and back; what is malformed becomes U+FFFD.
std::wstring to_wide(const std::string& text);
std::string to_utf8(const std::wstring& text);

// The failure that GetLastError, or a call of the registry, names. `what` is what was tried.
Failure windows_failure(DWORD error, const std::string& what);

}  // namespace rallypoint
