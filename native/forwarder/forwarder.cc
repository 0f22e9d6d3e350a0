// The registered handler of a game's scheme: delivers the address to the running game, or starts the game with it.
// Says what went wrong on stderr, never the address, which carries an authorization code.
#include <string_view>

#include "address.h"
#include "protocol.h"
#include "system.h"

namespace rallypoint {

namespace {

constexpr std::string_view kVersion = "rallypoint-forwarder " RALLYPOINT_VERSION "\n";
constexpr std::string_view kHelp =
    "Usage: rallypoint-forwarder <socket> <program> [arguments...] <address>\n"
    "Hands the address to the game that listens at the socket; when none does, starts the program with the\n"
    "arguments and the address.\n"
    "Ends with: 0 accepted, 1 refused, 2 usage, 3 started, 4 not started, 5 not private, 6 no answer\n";

struct Report {
  Exit exit;
  std::string_view says;
};

int end(const Report& report) {
  if (!report.says.empty()) say(Stream::kError, report.says);
  return static_cast<int>(report.exit);
}

Report start_game(const char* const* command) {
  if (start(command)) return {Exit::kStarted, ""};
  return {Exit::kNotStarted, "rallypoint-forwarder: the game does not run and could not be started.\n"};
}

Report hand_on(const char* path, const char* const* command, std::string_view address) {
  switch (deliver(path, address)) {
    case Delivery::kAccepted:
      return {Exit::kAccepted, ""};
    case Delivery::kRefused:
      return {Exit::kRefused, "rallypoint-forwarder: the game did not wait for this address.\n"};
    case Delivery::kNoListener:
      return start_game(command);
    case Delivery::kNoPath:
      return {Exit::kUsage, "rallypoint-forwarder: no game can listen at this path.\n"};
    case Delivery::kNotPrivate:
      return {Exit::kNotPrivate, "rallypoint-forwarder: the socket is not this user's alone; nothing was sent.\n"};
    case Delivery::kNoAnswer:
      break;
  }
  return {Exit::kNoAnswer, "rallypoint-forwarder: the game did not answer in time.\n"};
}

bool asks(int argc, const char* const* argv, std::string_view question) { return argc == 2 && argv[1] == question; }

}  // namespace

int forward(int argc, const char* const* argv) {
  if (asks(argc, argv, "--version")) return say(Stream::kOutput, kVersion), 0;
  if (asks(argc, argv, "--help")) return say(Stream::kOutput, kHelp), 0;
  if (argc < 4) return end({Exit::kUsage, kHelp});
  const std::string_view address = argv[argc - 1];
  if (!is_address(address)) {
    return end({Exit::kUsage, "rallypoint-forwarder: the last argument is no address that is handed on.\n"});
  }
  return end(hand_on(argv[1], argv + 2, address));
}

}  // namespace rallypoint
