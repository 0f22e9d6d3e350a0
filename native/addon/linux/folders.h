// The folders of desktop entries and lists of default programs on a freedesktop system, in order of precedence.
// See the XDG Base Directory Specification and "Association between MIME types and applications", File name and location.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rallypoint {

// Undefined where neither the variable nor HOME says it.
std::optional<std::string> config_home();
std::optional<std::string> data_home();

// Folders of desktop entries.
std::vector<std::string> applications_folders();

// Folders of `mimeapps.list`, those of the configuration before those of the data.
std::vector<std::string> list_folders();

// The list of every desktop, and the names a list may have in each folder: those of the desktop that runs first.
constexpr const char* kList = "mimeapps.list";
std::vector<std::string> list_names();

// The program's path: an executable path, or a name that is found in PATH.
std::optional<std::string> find_program(const std::string& name);

}  // namespace rallypoint
