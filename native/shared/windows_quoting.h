#pragma once

#include <string>

namespace rallypoint {

// An argument as CommandLineToArgvW and the C runtime read it back: always in quotes, backslashes doubled before a quote.
inline std::wstring quoted_argument(const std::wstring& argument) {
  std::wstring text = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t character : argument) {
    if (character == L'"') text.append(backslashes + 1, L'\\');
    backslashes = character == L'\\' ? backslashes + 1 : 0;
    text += character;
  }
  return text.append(backslashes, L'\\') + L'"';
}

}  // namespace rallypoint
