#include "address.h"

#include <cstdint>

#include "protocol.h"

namespace rallypoint {

namespace {

bool is_letter(char character) { return (character | 0x20) >= 'a' && (character | 0x20) <= 'z'; }

bool is_of_scheme(char character) {
  return is_letter(character) || (character >= '0' && character <= '9') || character == '+' || character == '-' ||
         character == '.';
}

bool has_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 2 || !is_letter(text.front())) return false;
  for (const char character : text.substr(0, colon)) {
    if (!is_of_scheme(character)) return false;
  }
  return true;
}

// Bytes of the UTF-8 sequence at the start of the text, 0 when it is malformed. See RFC 3629, section 4.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; at++) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) > 0x9f;
  const bool above = lead == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || above ? 0 : length;
}

// Control characters of ASCII and those of Latin-1 (U+0080 to U+009F).
bool is_control(std::string_view sequence) {
  const auto lead = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7f;
  return lead == 0xc2 && static_cast<std::uint8_t>(sequence[1]) < 0xa0;
}

}  // namespace

bool is_address(std::string_view text) {
  if (text.empty() || text.size() > kAddressBytesMax || !has_scheme(text)) return false;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0 || is_control(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace rallypoint
