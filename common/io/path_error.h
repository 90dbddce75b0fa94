// Errors of system calls on files and folders, as a status.
#ifndef TRIBUTARY_COMMON_IO_PATH_ERROR_H_
#define TRIBUTARY_COMMON_IO_PATH_ERROR_H_

#include <cerrno>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// Returns "cannot ACTION PATH: ..." with the message and status code of errno.
inline absl::Status PathError(const std::string& path, const char* action) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", action, " ", path));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_PATH_ERROR_H_
