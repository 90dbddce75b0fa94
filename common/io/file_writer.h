// Writes a new file sequentially and computes its CRC32C.
#ifndef TRIBUTARY_COMMON_IO_FILE_WRITER_H_
#define TRIBUTARY_COMMON_IO_FILE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Creates a file, appends to it, and computes the length and CRC32C of the data
// while it is in cache. Not buffered: append in large pieces. Move-only; not
// thread-safe.
class FileWriter {
 public:
  // Creates the file. ALREADY_EXISTS if it exists; otherwise the system's error
  // with the path.
  static absl::StatusOr<FileWriter> Create(const std::string& path);
  ~FileWriter();
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) = delete;

  // Writes all of the bytes. RESOURCE_EXHAUSTED if the disk is full.
  absl::Status Append(absl::Span<const uint8_t> bytes);
  absl::Status Append(std::string_view text);
  // Closes the file; nothing may be appended afterwards. SyncAndClose flushes
  // it to the disk first.
  absl::Status Close();
  absl::Status SyncAndClose();

  uint64_t bytes_written() const { return bytes_written_; }
  uint32_t crc32c() const { return crc32c_; }

 private:
  FileWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_ = -1;
  uint64_t bytes_written_ = 0;
  uint32_t crc32c_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_FILE_WRITER_H_
