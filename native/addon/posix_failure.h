#pragma once

#include <string>

#include "system.h"

namespace rallypoint {

// The failure that `errno` names. `what` is what was tried, on which file.
Failure posix_failure(int error, const std::string& what);

}  // namespace rallypoint
