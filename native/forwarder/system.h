// What every system does for the forwarder: one source per system stands behind it.
#pragma once

#include <string_view>

namespace rallypoint {

// The forwarder itself, for the system's entry point to call. Texts are UTF-8. Returns the exit code.
int forward(int argc, const char* const* argv);

enum class Delivery {
  kAccepted,
  kRefused,
  kNoListener,
  // The path is none that a game could listen at.
  kNoPath,
  // Another user listens, or could have put the socket there. Nothing was sent.
  kNotPrivate,
  kNoAnswer,
};

// Sends the address as a line to the game that listens at the path, and waits for its answer.
Delivery deliver(const char* path, std::string_view address);

// Starts a program that lives on by itself: command[0] is its path, the last element is followed by a null pointer.
// False when the system could not.
bool start(const char* const* command);

// Writes to the terminal, where there is one.
enum class Stream { kOutput, kError };
void say(Stream stream, std::string_view text);

}  // namespace rallypoint
