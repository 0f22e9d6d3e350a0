#include "forwarder/address.h"

#include "check.h"
#include "forwarder/protocol.h"

namespace rallypoint::test {

namespace {

std::string address_of(std::size_t bytes) {
  const std::string start = "discord-1:/authorize/callback?code=";
  return start + std::string(bytes - start.size(), 'x');
}

bool has_line_end(const std::string& text) { return text.find_first_of("\r\n") != std::string::npos; }

}  // namespace

void address_test(Random& random) {
  for (const char* good : {"discord-1:/authorize/callback?code=a&state=b", "ab:", "HTTPS://x", "a+b.c-d:x", "game:/größer ✨",
                           "game:/\xf4\x8f\xbf\xbf", "game:/\xed\x9f\xbf", "game:/\xc2\xa0", "game:/a b"}) {
    CHECK(is_address(good));
  }
  for (const char* bad : {"", ":", "a:", "C:\\Windows", "1ab:x", "-ab:x", "--version", "/path", "no-colon", "a b:x", "sch\xc3\xb6n:x",
                          "game:\n", "game:/\r", "game:/\t", "game:/\x7f", "game:/\x1b[0m", "game:/\xc2\x85", "game:/\xff",
                          "game:/\xc3", "game:/\xc0\xaf", "game:/\xe0\x80\xaf", "game:/\xed\xa0\x80", "game:/\xf0\x80\x80\x80",
                          "game:/\xf4\x90\x80\x80", "game:/\x80", "game:/\xe2\x9c"}) {
    CHECK(!is_address(bad));
  }
  CHECK(!is_address(std::string_view("game:/\0x", 8)));
  CHECK(is_address(address_of(kAddressBytesMax - 1)));
  CHECK(is_address(address_of(kAddressBytesMax)));
  CHECK(!is_address(address_of(kAddressBytesMax + 1)));

  std::string bytes;
  for (int byte = 0; byte < 256; byte++) bytes += static_cast<char>(byte);
  for (int round = 0; round < 20'000; round++) {
    // Of its own length, so that a byte read too far is found.
    const std::string text = (round % 2 == 0 ? "game:" : "") + random.text(bytes, 24);
    CHECK(!is_address(text) || !has_line_end(text));
  }
}

}  // namespace rallypoint::test
