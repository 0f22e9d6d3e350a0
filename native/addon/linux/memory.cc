#include <cstddef>

#include "../system.h"

// glibc's own, and of no other C library: where it is missing the addon loads all the same.
extern "C" int malloc_trim(std::size_t pad) __attribute__((weak));

namespace rallypoint {

bool trim_memory() { return malloc_trim != nullptr && malloc_trim(0) == 1; }

}  // namespace rallypoint
