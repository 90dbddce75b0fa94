// Reads ranges of files.
#ifndef TRIBUTARY_PARTITION_SOURCE_READ_EXACTLY_H_
#define TRIBUTARY_PARTITION_SOURCE_READ_EXACTLY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Opens a file for reading. The system's error with the path.
absl::StatusOr<UniqueFd> OpenForReading(const std::string& path);

// Reads `bytes` bytes from `offset`. DATA_LOSS, naming the path, if the file
// ends before; else the system's error.
absl::Status ReadExactly(int fd, const std::string& path, uint64_t offset,
                         uint8_t* out, size_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_READ_EXACTLY_H_
