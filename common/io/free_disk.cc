#include "common/io/free_disk.h"

#include <sys/statvfs.h>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"

namespace tributary {

absl::Status CheckFreeDisk(const std::string& folder, uint64_t bytes,
                           absl::string_view what) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) {
    return PathError(folder, "look at the free space of");
  }
  const uint64_t free = uint64_t{info.f_bavail} * info.f_frsize;
  if (free >= bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(folder, " has ", free, " bytes free; ", what, " ", bytes));
}

}  // namespace tributary
