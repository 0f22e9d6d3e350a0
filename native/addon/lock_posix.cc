// Locks of Linux and macOS, by flock.
//
// flock and not fcntl: a lock of fcntl belongs to the process, so that a second open in the same process would share it
// and the close of any of them would drop it. F_OFD_SETLK behaves as flock does but is Linux's alone. Both reach a
// server over NFS as one lock on the whole file.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "file_status.h"
#include "posix_failure.h"
#include "system.h"

namespace rallypoint {

namespace {

// How often a file may be replaced under us before we give up.
constexpr int kReplacedMax = 16;

template <typename Call>
int uninterrupted(Call call) {
  int result;
  do result = call();
  while (result == -1 && errno == EINTR);
  return result;
}

// Whether the path still names the open file: a lock on a deleted file excludes no other process.
bool is_still_at(int file, const std::string& path) {
  struct stat open_file;
  struct stat at_path;
  return status_of(file, &open_file) == 0 && link_status_at(path.c_str(), &at_path) == 0 && open_file.st_dev == at_path.st_dev &&
         open_file.st_ino == at_path.st_ino;
}

bool is_regular(int file) {
  struct stat status;
  return status_of(file, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Outcome<std::unique_ptr<Lock>> try_lock(const std::string& path) {
  // Not followed: in a folder that others may write to, a link could have us create a file anywhere. Not blocking: a
  // pipe in the file's place would make us wait for its other end.
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  for (int replaced = 0; replaced < kReplacedMax; replaced++) {
    const int file = uninterrupted([&] { return open(path.c_str(), flags, S_IRUSR | S_IWUSR); });
    if (file == -1) return posix_failure(errno, "open " + path);
    auto lock = std::make_unique<Lock>(file);
    if (!is_regular(file)) return posix_failure(EINVAL, "no regular file, " + path);
    if (uninterrupted([&] { return flock(file, LOCK_EX | LOCK_NB); }) == -1) {
      if (errno == EWOULDBLOCK) return std::unique_ptr<Lock>();
      return posix_failure(errno, "lock " + path);
    }
    if (is_still_at(file, path)) return lock;
  }
  return posix_failure(ESTALE, "always replaced, " + path);
}

void Lock::release() {
  if (handle_ == kReleased) return;
  close(static_cast<int>(handle_));
  handle_ = kReleased;
}

}  // namespace rallypoint
