// The arrays of a graph folder, all written at the same time.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_OUTPUT_FILES_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_OUTPUT_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/tensor/npy.h"

namespace tributary {

// An array that is to be written.
struct OutputArray {
  std::string path;  // relative to the folder
  NpyType type;
  std::vector<int64_t> shape;
};

// How much of an array is on the disk.
struct OutputState {
  uint64_t bytes = 0;  // with the header
  uint32_t crc32c = 0;
  friend bool operator==(const OutputState&, const OutputState&) = default;
};

// Appends to any number of .npy files. A file is open only while it is
// flushed, so that there may be more than the process may have open. Not
// thread-safe.
class OutputFiles {
 public:
  // Begins the files anew, or goes on from `states`, one for each array, which
  // Flush returned: what was written after it is cut off. Buffers up to
  // `buffer_bytes` in all. DATA_LOSS if a file is shorter than its state says.
  static absl::StatusOr<std::unique_ptr<OutputFiles>> Open(
      const std::string& folder, std::vector<OutputArray> arrays,
      absl::Span<const OutputState> states, uint64_t buffer_bytes);

  // Appends bytes of elements.
  absl::Status Append(size_t array, absl::Span<const uint8_t> bytes);
  // Writes all buffers out and returns how far each array is.
  absl::StatusOr<std::vector<OutputState>> Flush();
  // Checks that all arrays have the lengths of their shapes. INTERNAL if not.
  absl::Status CheckComplete() const;

 private:
  struct File {
    std::string path;
    uint64_t wanted_bytes = 0;
    OutputState state;
    std::vector<uint8_t> buffer;
  };
  OutputFiles(std::vector<File> files, uint64_t buffer_bytes)
      : files_(std::move(files)), buffer_bytes_(buffer_bytes) {}
  absl::Status FlushOne(File& file);

  std::vector<File> files_;
  const uint64_t buffer_bytes_;
  uint64_t buffered_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_OUTPUT_FILES_H_
