// Checks the free space of a disk before much is written to it.
#ifndef TRIBUTARY_COMMON_IO_FREE_DISK_H_
#define TRIBUTARY_COMMON_IO_FREE_DISK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Checks that the file system of `folder` has `bytes` free for this process.
// RESOURCE_EXHAUSTED, "FOLDER has N bytes free; WHAT BYTES", if it has not; the
// system's error if `folder` is not there.
absl::Status CheckFreeDisk(const std::string& folder, uint64_t bytes,
                           absl::string_view what);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_FREE_DISK_H_
