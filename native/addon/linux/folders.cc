#include "folders.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace rallypoint {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(':', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_absolute(const std::string& path) { return !path.empty() && path.front() == '/'; }

// Relative paths are to be ignored, says the specification.
std::optional<std::string> home(const char* name, const char* in_home) {
  if (const std::string value = variable(name); is_absolute(value)) return value;
  if (const std::string value = variable("HOME"); is_absolute(value)) return value + in_home;
  return std::nullopt;
}

std::vector<std::string> system_folders(const char* name, const char* otherwise) {
  const std::string value = variable(name);
  std::vector<std::string> folders = split(value.empty() ? otherwise : value);
  folders.erase(std::remove_if(folders.begin(), folders.end(), [](const auto& path) { return !is_absolute(path); }),
                folders.end());
  return folders;
}

}  // namespace

std::optional<std::string> config_home() { return home("XDG_CONFIG_HOME", "/.config"); }

std::optional<std::string> data_home() { return home("XDG_DATA_HOME", "/.local/share"); }

std::vector<std::string> applications_folders() {
  std::vector<std::string> folders;
  if (const auto own = data_home()) folders.push_back(*own + "/applications");
  for (const auto& folder : system_folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share")) {
    folders.push_back(folder + "/applications");
  }
  return folders;
}

std::vector<std::string> list_folders() {
  std::vector<std::string> folders;
  if (const auto own = config_home()) folders.push_back(*own);
  for (const auto& folder : system_folders("XDG_CONFIG_DIRS", "/etc/xdg")) folders.push_back(folder);
  for (const auto& folder : applications_folders()) folders.push_back(folder);
  return folders;
}

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (std::string desktop : split(variable("XDG_CURRENT_DESKTOP"))) {
    // A name is a name, never a path.
    if (desktop.find('/') != std::string::npos) continue;
    std::transform(desktop.begin(), desktop.end(), desktop.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    names.push_back(desktop + "-" + kList);
  }
  names.push_back(kList);
  return names;
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  for (const auto& folder : split(variable("PATH"))) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

}  // namespace rallypoint
