#include "partition/source/read_exactly.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"

namespace tributary {

absl::StatusOr<UniqueFd> OpenForReading(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return PathError(path, "open");
  return fd;
}

absl::Status ReadExactly(int fd, const std::string& path, uint64_t offset,
                         uint8_t* out, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n =
        pread(fd, out + done, bytes - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(path, "read");
    if (n == 0) {
      return absl::DataLossError(absl::StrCat(path, " ends at byte ",
                                              offset + done, "; expected ",
                                              bytes - done, " bytes more"));
    }
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

}  // namespace tributary
