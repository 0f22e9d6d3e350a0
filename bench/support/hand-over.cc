// Usage: hand-over <socket> <rounds> -- <command> <argument>… -- <command> …
// Listens at the socket and starts the commands in turn, each with an address behind its arguments, every other round
// from the last to the first: whoever follows a heavy one finds the caches cold. Prints a line a round: microseconds
// from the start of each command until its line was here.
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

extern char** environ;

namespace {

char address[] = "discord-1234567890:/authorize/callback?code=NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee&state=15773059ghq9183habn";

double now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int listen_at(const char* path) {
  sockaddr_un place = {};
  place.sun_family = AF_UNIX;
  std::strncpy(place.sun_path, path, sizeof place.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) fail("bind");
  if (listen(listener, 16) != 0) fail("listen");
  return listener;
}

void read_line(int connection) {
  std::string text;
  char part[1024];
  while (text.empty() || text.back() != '\n') {
    const ssize_t count = read(connection, part, sizeof part);
    if (count <= 0) fail("read");
    text.append(part, static_cast<size_t>(count));
  }
  if (text.substr(0, text.size() - 1) != address) fail("another line");
}

double measure(int listener, std::vector<char*> command) {
  command.push_back(address);
  command.push_back(nullptr);
  const double began = now_us();
  pid_t child;
  if (posix_spawn(&child, command[0], nullptr, nullptr, command.data(), environ) != 0) fail(command[0]);
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection == -1) fail("accept");
  read_line(connection);
  const double elapsed = now_us() - began;
  if (write(connection, "accepted\n", 9) != 9) fail("write");
  int status;
  waitpid(child, &status, 0);
  close(connection);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("another end");
  return elapsed;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::vector<char*>> commands;
  for (int index = 3; index < argc; index++) {
    if (std::strcmp(argv[index], "--") == 0) {
      commands.emplace_back();
    } else {
      commands.back().push_back(argv[index]);
    }
  }
  const int listener = listen_at(argv[1]);
  for (int round = std::atoi(argv[2]); round > 0; round--) {
    std::vector<double> figures(commands.size());
    for (size_t turn = 0; turn < commands.size(); turn++) {
      const size_t index = round % 2 == 0 ? turn : commands.size() - 1 - turn;
      figures[index] = measure(listener, commands[index]);
    }
    for (const double figure : figures) std::printf("%.1f ", figure);
    std::puts("");
  }
}
