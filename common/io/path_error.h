// What the system says of a file or folder, as a status.
#ifndef TRIBUTARY_COMMON_IO_PATH_ERROR_H_
#define TRIBUTARY_COMMON_IO_PATH_ERROR_H_

#include <cerrno>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// "cannot ACTION PATH: ..." with errno's words and the code that stands for it.
inline absl::Status PathError(const std::string& path, const char* action) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", action, " ", path));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_PATH_ERROR_H_
