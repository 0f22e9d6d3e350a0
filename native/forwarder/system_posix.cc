// The forwarder on Linux and macOS: a socket in a folder that only this user can reach.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "protocol.h"
#include "system.h"

extern char** environ;

namespace rallypoint {

namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

class File {
 public:
  explicit File(int file) : file_(file) {}
  ~File() {
    if (file_ != -1) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

long now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

// Cuts the path into folder and name; false when it is none that a socket can have.
bool read_path(const char* path, sockaddr_un* address, char (&folder)[sizeof address->sun_path]) {
  const std::size_t length = std::strlen(path);
  if (path[0] != '/' || length >= sizeof address->sun_path) return false;
  address->sun_family = AF_UNIX;
  std::memcpy(address->sun_path, path, length + 1);
  const std::size_t slash = static_cast<std::size_t>(std::strrchr(path, '/') - path);
  if (slash == 0 || slash + 1 == length) return false;
  std::memcpy(folder, path, slash);
  folder[slash] = '\0';
  return true;
}

enum class Place { kFree, kPrivate, kNotPrivate };

// What is in a folder that only we can write to was put there by us.
Place place_of(const char* folder, const char* path) {
  struct stat status;
  if (lstat(folder, &status) != 0) return errno == ENOENT || errno == ENOTDIR ? Place::kFree : Place::kNotPrivate;
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & kOthers) != 0) return Place::kNotPrivate;
  if (lstat(path, &status) != 0) return errno == ENOENT ? Place::kFree : Place::kNotPrivate;
  return S_ISSOCK(status.st_mode) && status.st_uid == geteuid() ? Place::kPrivate : Place::kNotPrivate;
}

bool is_same_user(int socket) {
#if defined(__linux__)
  ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
#else
  uid_t user;
  gid_t group;
  return getpeereid(socket, &user, &group) == 0 && user == geteuid();
#endif
}

int open_socket() {
#if defined(__linux__)
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file != -1) fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
#endif
}

// 0, or why not. The system waits up to the socket's own time for a listener that is busy letting others in.
int connect_within(int socket, const sockaddr_un& address, int ms_max) {
  const timeval limit = {0, ms_max * 1000};
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int result;
  do result = connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  while (result == -1 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

bool wait_for(int socket, short events, long until_ms) {
  for (;;) {
    const long left = until_ms - now_ms();
    if (left <= 0) return false;
    pollfd waited = {socket, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(left));
    if (ready == 1) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool send_all(int socket, std::string_view text, long until_ms) {
  while (!text.empty()) {
    if (!wait_for(socket, POLLOUT, until_ms)) return false;
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_DONTWAIT);
    if (sent == -1 && errno != EINTR && errno != EAGAIN) return false;
    if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// The first line, without its end; empty when none came in time, or one that is longer than any answer.
std::string_view read_line(int socket, char* buffer, std::size_t size, long until_ms) {
  for (std::size_t length = 0; length < size && wait_for(socket, POLLIN, until_ms);) {
    const ssize_t count = recv(socket, buffer + length, size - length, MSG_DONTWAIT);
    if (count == 0 || (count == -1 && errno != EINTR && errno != EAGAIN)) break;
    if (count > 0) length += static_cast<std::size_t>(count);
    const std::string_view text(buffer, length);
    if (const std::size_t end = text.find('\n'); end != std::string_view::npos) return text.substr(0, end);
  }
  return {};
}

Delivery converse(int socket, std::string_view address) {
  const long until_ms = now_ms() + kAnswerMsMax;
  if (!send_all(socket, address, until_ms) || !send_all(socket, "\n", until_ms)) return Delivery::kNoAnswer;
  char buffer[16];
  const std::string_view answer = read_line(socket, buffer, sizeof buffer, until_ms);
  if (answer == "accepted") return Delivery::kAccepted;
  return answer == "refused" ? Delivery::kRefused : Delivery::kNoAnswer;
}

// What the browser and the opener left open is not for the game.
void close_on_start() {
#if defined(SYS_close_range)
  constexpr unsigned int kCloseOnExec = 4;
  syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
#endif
}

short spawn_flags() {
  short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  return flags;
}

}  // namespace

Delivery deliver(const char* path, std::string_view address) {
  sockaddr_un place = {};
  char folder[sizeof place.sun_path];
  if (!read_path(path, &place, folder)) return Delivery::kNoPath;
  switch (place_of(folder, path)) {
    case Place::kFree: return Delivery::kNoListener;
    case Place::kNotPrivate: return Delivery::kNotPrivate;
    case Place::kPrivate: break;
  }
  const File socket(open_socket());
  if (socket.get() == -1) return Delivery::kNoAnswer;
  switch (connect_within(socket.get(), place, kConnectMsMax)) {
    case 0: break;
    // A game that was killed leaves its socket behind.
    case ECONNREFUSED:
    case ENOENT: return Delivery::kNoListener;
    case EACCES:
    case EPERM: return Delivery::kNotPrivate;
    default: return Delivery::kNoAnswer;
  }
  return is_same_user(socket.get()) ? converse(socket.get(), address) : Delivery::kNotPrivate;
}

bool start(const char* const* command) {
  close_on_start();
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  if (posix_spawnattr_init(&attributes) != 0) return false;
  if (posix_spawn_file_actions_init(&actions) != 0) return posix_spawnattr_destroy(&attributes), false;
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  bool set = posix_spawnattr_setflags(&attributes, spawn_flags()) == 0;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    set = set && posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0) == 0;
  }
  pid_t game;
  // The interface takes what it only reads as if it wrote to it.
  const bool started =
      set && posix_spawn(&game, command[0], &actions, &attributes, const_cast<char* const*>(command), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return started;
}

void say(Stream stream, std::string_view text) {
  const int file = stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO;
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written == -1 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace rallypoint

int main(int argc, char** argv) {
  // A game or a terminal that goes while we write to it is no reason to die; the game gets its signals back.
  signal(SIGPIPE, SIG_IGN);
  return rallypoint::forward(argc, argv);
}
