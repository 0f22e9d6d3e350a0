// The protocol of the forwarder and the game. src/sdk/native/forwarder.ts has the same figures, with the reasons.
#pragma once

#include <cstddef>

namespace rallypoint {

constexpr std::size_t kAddressBytesMax = 8192;
constexpr int kConnectMsMax = 100;
constexpr int kAnswerMsMax = 2000;

enum class Exit {
  kAccepted = 0,
  kRefused = 1,
  kUsage = 2,
  kStarted = 3,
  kNotStarted = 4,
  kNotPrivate = 5,
  kNoAnswer = 6,
};

}  // namespace rallypoint
