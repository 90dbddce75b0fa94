// A file opened, mapped or read whole.
#ifndef TRIBUTARY_COMMON_IO_FILE_MAPPING_H_
#define TRIBUTARY_COMMON_IO_FILE_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// A descriptor to read `path` with, the caller's to close, and its size if
// asked for; close-on-exec. Never waits: a FIFO, socket, device or folder is
// INVALID_ARGUMENT; other errors as the system says, naming the path.
absl::StatusOr<int> OpenRegularFile(const std::string& path,
                                    size_t* size = nullptr);

// Owns a shared read-only mapping of a whole file. Move-only; the bytes stay
// where they are when it is moved. The file may be unlinked while it is mapped,
// but must not shrink.
class FileMapping {
 public:
  FileMapping() = default;
  // Errors as OpenRegularFile.
  static absl::StatusOr<FileMapping> Open(const std::string& path);
  ~FileMapping();
  FileMapping(FileMapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  FileMapping& operator=(FileMapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  absl::Span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  FileMapping(uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// The whole of a small file. RESOURCE_EXHAUSTED when it is larger than
// `max_bytes`; other errors as OpenRegularFile.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_FILE_MAPPING_H_
