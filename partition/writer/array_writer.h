// Writes one .npy file, element by element.
#ifndef TRIBUTARY_PARTITION_WRITER_ARRAY_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_ARRAY_WRITER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/file_writer.h"
#include "common/tensor/npy.h"

namespace tributary {

// Buffers up to 1 MiB between writes. Keeps the first error: Push and Extend
// may be called without a check, and Finish returns it. Not thread-safe.
class ArrayWriter {
 public:
  // Creates the file, with the header of an array of this type and shape.
  // Errors as FileWriter::Create.
  static absl::StatusOr<ArrayWriter> Create(const std::string& path,
                                            NpyType type,
                                            absl::Span<const int64_t> shape);
  ArrayWriter(ArrayWriter&&) = default;

  // Appends an element.
  template <typename T>
  void Push(T value) {
    std::memcpy(Extend(sizeof(T)), &value, sizeof(T));
  }
  // Returns room for `bytes` bytes, which must be filled before the next call.
  uint8_t* Extend(size_t bytes);
  // Flushes and closes the file. INTERNAL if the number of elements is not that
  // of the shape.
  absl::Status Finish();

  uint64_t file_bytes() const { return file_.bytes_written(); }
  uint32_t crc32c() const { return file_.crc32c(); }

 private:
  ArrayWriter(FileWriter file, uint64_t data_bytes)
      : file_(std::move(file)), remaining_(data_bytes) {}
  void Flush();

  FileWriter file_;
  uint64_t remaining_;
  std::vector<uint8_t> buffer_;
  absl::Status status_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_ARRAY_WRITER_H_
