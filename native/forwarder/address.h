#pragma once

#include <string_view>

namespace rallypoint {

// Whether the text is an address that may be handed on: a scheme of two letters or more (one would be a drive of
// Windows), no more than kAddressBytesMax bytes, UTF-8 without control characters, so that it is one line.
bool is_address(std::string_view text);

}  // namespace rallypoint
