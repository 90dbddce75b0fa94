// Rows of a .npy file that several ranks fill, each at its place. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_ROW_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_ROW_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "common/io/unique_fd.h"
#include "common/tensor/npy.h"

namespace tributary {

// The contents of a file of rows: an array whose first dimension counts them.
struct RowShape {
  NpyType type{'f', 4};
  std::vector<int64_t> shape;  // [rows, ...]

  int64_t rows() const { return shape.at(0); }
  size_t row_bytes() const;
  // Returns the header of the .npy file, which the first row follows.
  std::string header() const { return FormatNpyHeader(type, shape); }
};

// Creates the file with its header and zeros for all rows, whose room on the
// disk is reserved where the file system can, and flushes it; replaces a file.
// RESOURCE_EXHAUSTED if the disk is full. Errors name the path.
absl::Status CreateRowFile(const std::string& path, const RowShape& shape);

// Writes rows of a file that CreateRowFile has made. Processes may write at
// once, each other rows. Move-only; used by one thread.
class RowWriter {
 public:
  // DATA_LOSS if the file is not of this shape.
  static absl::StatusOr<RowWriter> Open(const std::string& path,
                                        const RowShape& shape);
  // Writes row i of `rows`, row_bytes() each, as the file's row at[i].
  // INVALID_ARGUMENT for a row that the file does not have.
  absl::Status Write(absl::Span<const int64_t> at,
                     absl::Span<const uint8_t> rows);
  // Flushes what was written to the disk.
  absl::Status Sync();

 private:
  RowWriter(std::string path, UniqueFd fd, const RowShape& shape);
  absl::Status WriteAt(uint64_t offset, absl::Span<const uint8_t> bytes);

  std::string path_;
  UniqueFd fd_;
  size_t data_offset_;
  size_t row_bytes_;
  int64_t num_rows_;
};

// A file of rows, mapped to be read: pages are read when they are used, and
// given up when memory is short. Move-only.
class RowMapping {
 public:
  // DATA_LOSS if the file is not of this shape.
  static absl::StatusOr<RowMapping> Open(const std::string& path,
                                         const RowShape& shape);
  const RowShape& shape() const { return shape_; }
  // Returns all rows.
  absl::Span<const uint8_t> rows() const {
    return file_.bytes().subspan(data_offset_);
  }

 private:
  RowMapping(FileMapping file, RowShape shape);

  FileMapping file_;
  RowShape shape_;
  size_t data_offset_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_ROW_FILE_H_
