// Small text files, read and replaced whole.
#pragma once

#include <optional>
#include <string>

#include "../system.h"

namespace rallypoint {

// Undefined when there is none that can be read, or it is larger than any of its kind.
std::optional<std::string> read_file(const std::string& path);

// Puts the text in the place of what was there: readers see the one or the other. A link's target is replaced, not the
// link. Folders are made as needed, for this user only.
Outcome<Done> replace_file(const std::string& path, const std::string& text);

// False when the folder could not be made.
bool make_folders(const std::string& folder);

// Locks out other processes that edit a file of this folder in the same way, until it is destroyed. Waits half a second for them.
class FolderTurn {
 public:
  explicit FolderTurn(const std::string& folder);
  ~FolderTurn();
  FolderTurn(const FolderTurn&) = delete;
  FolderTurn& operator=(const FolderTurn&) = delete;

  // Undefined when the turn is ours.
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  int folder_ = -1;
  std::optional<Failure> failure_;
};

}  // namespace rallypoint
