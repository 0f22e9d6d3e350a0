// As little as a process can do to hand an address on: connect, write, read, end. No checks, no bounds, no time limit.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 3;
  char* line = argv[argc - 1];
  const size_t length = std::strlen(line);
  line[length] = '\n';
  if (write(connection, line, length + 1) < 0) return 6;
  char answer[16];
  return read(connection, answer, sizeof answer) > 0 ? 0 : 6;
}
