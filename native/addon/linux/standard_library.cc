// What the addon would take from the C++ library, so that it is linked to the C library alone and runs wherever Node
// does, whichever C++ library was there when it was built. All of it is weak: a library that has it anyway, wins.
#include <cstdlib>
#include <new>
#include <string>

#define RALLYPOINT_WEAK __attribute__((weak))

// Else the members of std::string come from the library, with its exceptions.
template class std::basic_string<char>;

// Nothing can be thrown without exceptions: what went as far as this ends the process, as it does in the library.
namespace std {

RALLYPOINT_WEAK void __throw_bad_alloc() { abort(); }
RALLYPOINT_WEAK void __throw_bad_array_new_length() { abort(); }
RALLYPOINT_WEAK void __throw_length_error(const char*) { abort(); }
RALLYPOINT_WEAK void __throw_logic_error(const char*) { abort(); }
RALLYPOINT_WEAK void __throw_out_of_range_fmt(const char*, ...) { abort(); }

}  // namespace std

RALLYPOINT_WEAK void* operator new(std::size_t size) {
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  std::abort();
}
RALLYPOINT_WEAK void* operator new[](std::size_t size) { return operator new(size); }
RALLYPOINT_WEAK void operator delete(void* memory) noexcept { std::free(memory); }
RALLYPOINT_WEAK void operator delete[](void* memory) noexcept { std::free(memory); }
RALLYPOINT_WEAK void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
RALLYPOINT_WEAK void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
