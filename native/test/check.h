// As much of a test library as is needed: a check that fails says where, and ends the run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
      std::exit(1);                                                           \
    }                                                                         \
  } while (false)

namespace rallypoint::test {

// Numbers that a seed decides.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % bound;
  }
  // Up to `length_max` characters, each of `alphabet`.
  std::string text(const std::string& alphabet, std::uint64_t length_max) {
    std::string made;
    for (std::uint64_t left = below(length_max + 1); left > 0; left--) made += alphabet[below(alphabet.size())];
    return made;
  }

 private:
  std::uint64_t state_;
};

void address_test(Random& random);
void key_file_test(Random& random);
void lock_test(const std::string& folder);
void schemes_test(const std::string& folder, Random& random);

}  // namespace rallypoint::test
