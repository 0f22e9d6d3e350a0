// Systems whose allocators give freed memory back by themselves, or offer no way to ask for it.
#include "system.h"

namespace rallypoint {

bool trim_memory() { return false; }

}  // namespace rallypoint
