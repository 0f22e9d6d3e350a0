#include "posix_failure.h"

#include <cerrno>
#include <cstring>

namespace rallypoint {

namespace {

const char* name_of(int error) {
  switch (error) {
    case EACCES: return "EACCES";
    case EBUSY: return "EBUSY";
    case EDQUOT: return "EDQUOT";
    case EEXIST: return "EEXIST";
    case EINTR: return "EINTR";
    case EINVAL: return "EINVAL";
    case EIO: return "EIO";
    case EISDIR: return "EISDIR";
    case ELOOP: return "ELOOP";
    case EMFILE: return "EMFILE";
    case ENAMETOOLONG: return "ENAMETOOLONG";
    case ENFILE: return "ENFILE";
    case ENODEV: return "ENODEV";
    case ENOENT: return "ENOENT";
    case ENOLCK: return "ENOLCK";
    case ENOMEM: return "ENOMEM";
    case ENOSPC: return "ENOSPC";
    case ENOTDIR: return "ENOTDIR";
    case ENOTSUP: return "ENOTSUP";
    case ENXIO: return "ENXIO";
    case EPERM: return "EPERM";
    case EROFS: return "EROFS";
    case ESTALE: return "ESTALE";
    case ETXTBSY: return "ETXTBSY";
    case EXDEV: return "EXDEV";
    default: return "EUNKNOWN";
  }
}

}  // namespace

Failure posix_failure(int error, const std::string& what) {
  return {name_of(error), what + ": " + std::strerror(error)};
}

}  // namespace rallypoint
