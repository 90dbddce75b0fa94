// A new file, written from front to back with its CRC.
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

// Appends to a file that it creates, and computes length and CRC32C of what
// was written while the bytes are hot. Not buffered: append in large pieces.
// Move-only; not thread-safe.
class FileWriter {
 public:
  // ALREADY_EXISTS when there is one; else what the system says, with the path.
  static absl::StatusOr<FileWriter> Create(const std::string& path);
  ~FileWriter();
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) = delete;

  // RESOURCE_EXHAUSTED when the disk is full.
  absl::Status Append(absl::Span<const uint8_t> bytes);
  absl::Status Append(std::string_view text);
  // Closes; nothing may be appended after. SyncAndClose flushes to the disk
  // first.
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
