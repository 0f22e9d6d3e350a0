// stat and its like. On Linux by the system call itself: programs that are linked to glibc 2.33 or newer ask for names that older
// ones do not have, and Node runs with 2.28.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <sys/syscall.h>
#include <unistd.h>
#define RALLYPOINT_STAT(folder, path, status, flags) syscall(SYS_newfstatat, folder, path, status, flags)
#endif

namespace rallypoint {

// All return 0, or -1 and set errno.
inline int status_at(const char* path, struct stat* status) {
#if defined(RALLYPOINT_STAT)
  return static_cast<int>(RALLYPOINT_STAT(AT_FDCWD, path, status, 0));
#else
  return stat(path, status);
#endif
}

// Of a link itself.
inline int link_status_at(const char* path, struct stat* status) {
#if defined(RALLYPOINT_STAT)
  return static_cast<int>(RALLYPOINT_STAT(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
#else
  return lstat(path, status);
#endif
}

inline int status_of(int file, struct stat* status) {
#if defined(RALLYPOINT_STAT)
  return static_cast<int>(RALLYPOINT_STAT(file, "", status, AT_EMPTY_PATH));
#else
  return fstat(file, status);
#endif
}

}  // namespace rallypoint
