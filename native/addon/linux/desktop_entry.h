// Desktop entries: what registers a program with a freedesktop system. Pure: text in, text out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../system.h"

namespace rallypoint {

// What is registered for a scheme: `x-scheme-handler/<scheme>`.
std::string scheme_type(const std::string& scheme);

// A whole entry that opens addresses of the registration's scheme.
std::string desktop_entry(const Registration& registration);

// The command of an entry, before the file's own escapes, with `%u` for the address.
// See the Desktop Entry Specification, "The Exec key".
std::string exec_of(const std::vector<std::string>& command);

// What can be started for an address: no entry, a hidden one or one without command gives none.
std::optional<std::string> command_in(std::string_view entry);

// The first word of a command, without its quotes; empty when there is none.
std::string program_of(std::string_view command);

}  // namespace rallypoint
