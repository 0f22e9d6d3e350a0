// Schemes of freedesktop systems: a desktop entry says how to start the program, a list of defaults names the entry.
// See "Association between MIME types and applications" and the Desktop Entry Specification.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "linux/desktop_entry.h"
#include "linux/files.h"
#include "linux/folders.h"
#include "linux/key_file.h"
#include "posix_failure.h"
#include "system.h"

namespace rallypoint {

namespace {

constexpr const char* kDefaults = "Default Applications";
constexpr const char* kAdded = "Added Associations";
constexpr const char* kRemoved = "Removed Associations";
constexpr const char* kCached = "MIME Cache";
constexpr const char* kCache = "/mimeinfo.cache";

using Ids = std::vector<std::string>;

bool has(const Ids& ids, const std::string& id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

void append(Ids& ids, const Ids& more) { ids.insert(ids.end(), more.begin(), more.end()); }

// A dash in an id may stand for a folder: `kde-viewer.desktop` can be `kde/viewer.desktop`.
std::optional<std::string> read_entry(const std::string& folder, std::string id) {
  for (;;) {
    if (auto entry = read_file(folder + "/" + id)) return entry;
    const size_t dash = id.find('-');
    if (dash == std::string::npos) return std::nullopt;
    id[dash] = '/';
  }
}

// The first folder that knows the id decides, even when it hides the program.
std::optional<std::string> entry_of(const std::string& id) {
  // An id is a name; lists are other people's files.
  if (id.find('/') != std::string::npos) return std::nullopt;
  for (const std::string& folder : applications_folders()) {
    if (auto entry = read_entry(folder, id)) return entry;
  }
  return std::nullopt;
}

std::optional<Handler> installed(const std::string& id) {
  const auto entry = entry_of(id);
  const auto command = entry ? command_in(*entry) : std::nullopt;
  if (!command || !find_program(program_of(*command))) return std::nullopt;
  return Handler{id, *command};
}

std::optional<Handler> first_installed(const Ids& ids) {
  for (const std::string& id : ids) {
    if (auto handler = installed(id)) return handler;
  }
  return std::nullopt;
}

Ids ids_in(const std::string& text, const char* group, const std::string& type) {
  const auto value = value_in(text, group, type);
  return value ? list_of(*value) : Ids();
}

// All that one folder says of the type.
struct Said {
  Ids defaults;
  Ids associated;
  Ids removed;
};

// Whether a folder before this one has another entry of that name.
bool is_hidden(const std::string& id, const std::string& folder) {
  const Ids folders = applications_folders();
  const auto end = std::find(folders.begin(), folders.end(), folder);
  return end != folders.end() && std::any_of(folders.begin(), end, [&](const auto& before) { return read_entry(before, id); });
}

// What a folder says can be opened is what its own entries can open.
Ids visible(Ids ids, const std::string& folder) {
  ids.erase(std::remove_if(ids.begin(), ids.end(), [&](const auto& id) { return is_hidden(id, folder); }), ids.end());
  return ids;
}

// By its list, then by what its entries say themselves, which is gathered in its cache. What the list removes is taken
// from the cache, says the specification; GLib, which opens addresses on most desktops, does so only where the list
// also adds something for the type, and it is GLib's answer that counts.
Ids associated_by(const std::string& folder, const std::string& list, const Ids& removed, const std::string& type) {
  const bool has_entries = has(applications_folders(), folder);
  const Ids cached = has_entries ? ids_in(read_file(folder + kCache).value_or(""), kCached, type) : Ids();
  if (!value_in(list, kAdded, type)) return visible(cached, folder);
  Ids associated = ids_in(list, kAdded, type);
  for (const std::string& id : cached) {
    if (!has(removed, id)) associated.push_back(id);
  }
  return visible(associated, folder);
}

Said said_by(const std::string& folder, const std::string& type) {
  Said said;
  for (const std::string& name : list_names()) {
    const std::string list = read_file(folder + "/" + name).value_or("");
    append(said.defaults, ids_in(list, kDefaults, type));
    // The list of one desktop has no say in what a program can open.
    if (name != kList) continue;
    said.removed = ids_in(list, kRemoved, type);
    said.associated = associated_by(folder, list, said.removed, type);
  }
  return said;
}

// In order of precedence. What one folder removes is removed from the later ones.
Ids in_order(const std::string& type) {
  Ids defaults;
  Ids associated;
  Ids removed;
  for (const std::string& folder : list_folders()) {
    const Said said = said_by(folder, type);
    append(defaults, said.defaults);
    for (const std::string& id : said.associated) {
      if (!has(removed, id)) associated.push_back(id);
    }
    append(removed, said.removed);
  }
  append(defaults, associated);
  return defaults;
}

// Edits the user's own list: `change` is given the ids of the type and gives the new ones.
template <typename Change>
Outcome<Done> edit_list(const std::vector<const char*>& groups, const std::string& type, Change change) {
  const auto folder = config_home();
  if (!folder) return Failure{"ENOENT", "neither XDG_CONFIG_HOME nor HOME is set"};
  const FolderTurn turn(*folder);
  if (turn.failure()) return *turn.failure();
  const std::string path = *folder + "/" + kList;
  const auto stands = read_file(path);
  // One that is there and cannot be read is not to be replaced by one of ours alone.
  if (!stands && access(path.c_str(), F_OK) == 0) return posix_failure(EACCES, "read " + path);
  std::string text = stands.value_or("");
  for (const char* group : groups) {
    const Ids before = ids_in(text, group, type);
    const Ids after = change(before);
    if (after != before) text = with_value(text, group, type, value_of_list(after));
  }
  return text == stands.value_or("") ? Done{} : replace_file(path, text);
}

Ids without(Ids ids, const std::string& id) {
  ids.erase(std::remove(ids.begin(), ids.end(), id), ids.end());
  return ids;
}

Outcome<std::string> own_entry(const std::string& id) {
  const auto folder = data_home();
  if (!folder) return Failure{"ENOENT", "neither XDG_DATA_HOME nor HOME is set"};
  return *folder + "/applications/" + id;
}

}  // namespace

Outcome<std::optional<Handler>> handler_of(const std::string& scheme) {
  return first_installed(in_order(scheme_type(scheme)));
}

Outcome<Done> register_scheme(const Registration& registration) {
  const auto path = own_entry(registration.id);
  if (const auto* failure = std::get_if<Failure>(&path)) return *failure;
  const std::string entry = desktop_entry(registration);
  if (read_file(std::get<std::string>(path)) != entry) {
    const auto written = replace_file(std::get<std::string>(path), entry);
    if (std::holds_alternative<Failure>(written)) return written;
  }
  // The previous default stays in the list after us, and is the default again after an unregistration.
  return edit_list({kDefaults}, scheme_type(registration.scheme), [&](const Ids& ids) {
    Ids ours = {registration.id};
    append(ours, without(ids, registration.id));
    return ours;
  });
}

Outcome<Done> unregister_scheme(const std::string& scheme, const std::string& id) {
  const std::string type = scheme_type(scheme);
  const auto edited = edit_list({kDefaults, kAdded}, type, [&](const Ids& ids) { return without(ids, id); });
  if (std::holds_alternative<Failure>(edited)) return edited;
  const auto path = own_entry(id);
  if (const auto* failure = std::get_if<Failure>(&path)) return *failure;
  const auto entry = read_file(std::get<std::string>(path));
  // Another program's entry of that name, or ours for another scheme by now, stays.
  if (!entry || list_of(value_in(*entry, "Desktop Entry", "MimeType").value_or("")) != Ids{type}) return Done{};
  if (unlink(std::get<std::string>(path).c_str()) == 0 || errno == ENOENT) return Done{};
  return posix_failure(errno, "delete " + std::get<std::string>(path));
}

}  // namespace rallypoint
