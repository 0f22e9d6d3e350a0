#include "files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "../file_status.h"
#include "../posix_failure.h"

namespace rallypoint {

namespace {

constexpr off_t kFileBytesMax = 16 * 1024 * 1024;
constexpr int kTurnTriesMax = 500;
constexpr timespec kTurnPause = {0, 1'000'000};

class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ != -1) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

bool write_all(int file, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written == -1 && errno != EINTR) return false;
    if (written > 0) at += static_cast<size_t>(written);
  }
  return true;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Where a link leads; the path itself when it is none, or one that leads nowhere.
std::string target_of(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : path;
}

mode_t mode_for(const std::string& path) {
  struct stat status;
  return status_at(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0644;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (file.get() == -1 || status_of(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size > kFileBytesMax) return std::nullopt;
  std::string text;
  char part[16 * 1024];
  for (;;) {
    const ssize_t count = read(file.get(), part, sizeof part);
    if (count == 0) return text;
    if (count == -1 && errno != EINTR) return std::nullopt;
    if (count > 0) text.append(part, static_cast<size_t>(count));
  }
}

bool make_folders(const std::string& folder) {
  if (folder.empty() || mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return true;
  return errno == ENOENT && make_folders(folder_of(folder)) && (mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST);
}

Outcome<Done> replace_file(const std::string& path, const std::string& text) {
  const std::string target = target_of(path);
  if (!make_folders(folder_of(target))) return posix_failure(errno, "make the folder of " + target);
  std::string draft = target + ".XXXXXX";
  const OpenFile file(mkostemp(draft.data(), O_CLOEXEC));
  if (file.get() == -1) return posix_failure(errno, "write beside " + target);
  if (write_all(file.get(), text) && fchmod(file.get(), mode_for(target)) == 0 && fsync(file.get()) == 0 &&
      rename(draft.c_str(), target.c_str()) == 0) {
    return Done{};
  }
  const int error = errno;
  unlink(draft.c_str());
  return posix_failure(error, "write " + target);
}

FolderTurn::FolderTurn(const std::string& folder) {
  if (make_folders(folder)) folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ == -1) {
    failure_ = posix_failure(errno, "open " + folder);
    return;
  }
  for (int tries = 0; flock(folder_, LOCK_EX | LOCK_NB) != 0; tries++) {
    if (tries == kTurnTriesMax || (errno != EWOULDBLOCK && errno != EINTR)) {
      failure_ = posix_failure(errno == EWOULDBLOCK ? EBUSY : errno, "lock " + folder);
      return;
    }
    nanosleep(&kTurnPause, nullptr);
  }
}

FolderTurn::~FolderTurn() {
  if (folder_ != -1) close(folder_);
}

}  // namespace rallypoint
