// What every system does for the addon, in the addon's own words: one source per system stands behind each half.
// Nothing here is decided: paths, names and what to register come from the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rallypoint {

// An error of the system. `code` is Node's name for it: ENOENT, EACCES …
struct Failure {
  std::string code;
  std::string message;
};

struct Done {};

// All texts are UTF-8 without NUL.
template <typename Value>
using Outcome = std::variant<Value, Failure>;

// An open file that is locked. The lock is the open file's own: closing it, by whatever way, frees it.
class Lock {
 public:
  explicit Lock(std::intptr_t handle) : handle_(handle) {}
  ~Lock() { release(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Idempotent.
  void release();

 private:
  static constexpr std::intptr_t kReleased = -1;
  std::intptr_t handle_;
};

// Null while anyone else holds it.
Outcome<std::unique_ptr<Lock>> try_lock(const std::string& path);

struct Handler {
  std::string id;
  std::string command;
};

struct Registration {
  std::string scheme;
  std::string id;
  std::string name;
  std::vector<std::string> command;
};

Outcome<std::optional<Handler>> handler_of(const std::string& scheme);
Outcome<Done> register_scheme(const Registration& registration);
Outcome<Done> unregister_scheme(const std::string& scheme, const std::string& id);

}  // namespace rallypoint
