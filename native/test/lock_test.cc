#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "addon/system.h"
#include "check.h"

namespace rallypoint::test {

namespace {

std::unique_ptr<Lock> taken(const std::string& path) {
  auto outcome = try_lock(path);
  CHECK(std::holds_alternative<std::unique_ptr<Lock>>(outcome));
  return std::move(std::get<std::unique_ptr<Lock>>(outcome));
}

std::string refusal(const std::string& path) {
  const auto outcome = try_lock(path);
  CHECK(std::holds_alternative<Failure>(outcome));
  return std::get<Failure>(outcome).code;
}

int next_descriptor() {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(file);
  return file;
}

bool is_free_for_child(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) _exit(taken(path) ? 0 : 1);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void lock_test(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int before = next_descriptor();
  {
    const auto first = taken(path);
    CHECK(first != nullptr);
    CHECK(taken(path) == nullptr);
    CHECK(!is_free_for_child(path));
    struct stat status;
    CHECK(stat(path.c_str(), &status) == 0 && (status.st_mode & 0777) == 0600);
    first->release();
    first->release();
    CHECK(is_free_for_child(path));
    CHECK(taken(path) != nullptr);
  }
  CHECK(taken(path) != nullptr);
  for (int cycle = 0; cycle < 1000; cycle++) CHECK(taken(path) != nullptr);

  const auto held = taken(path);
  CHECK(unlink(path.c_str()) == 0);
  CHECK(taken(path) != nullptr);
  held->release();

  CHECK(refusal(folder + "/missing/lock") == "ENOENT");
  CHECK(refusal(folder) == "EISDIR");
  CHECK(refusal("/dev/null") == "EINVAL");
  CHECK(symlink(path.c_str(), (folder + "/link").c_str()) == 0);
  CHECK(refusal(folder + "/link") == "ELOOP");
  CHECK(mkfifo((folder + "/pipe").c_str(), 0600) == 0);
  CHECK(refusal(folder + "/pipe") == "EINVAL");
  CHECK(refusal(folder + "/" + std::string(300, 'x')) == "ENAMETOOLONG");
  CHECK(next_descriptor() == before);
}

}  // namespace rallypoint::test
