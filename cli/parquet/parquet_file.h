// Reads one Parquet file with Arrow.
#ifndef TRIBUTARY_CLI_PARQUET_PARQUET_FILE_H_
#define TRIBUTARY_CLI_PARQUET_PARQUET_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/pipeline/inputs/parquet/parquet_table.h"

namespace tributary {

// An open Parquet file. Errors: DATA_LOSS for a file that Arrow cannot read;
// INVALID_ARGUMENT with file, column, row and what is allowed.
class ParquetFile {
 public:
  static absl::StatusOr<ParquetFile> Open(const std::string& path);
  ParquetFile(ParquetFile&&) noexcept;
  ParquetFile& operator=(ParquetFile&&) = delete;
  ~ParquetFile();

  int64_t num_rows() const;
  // The value of the file's metadata of this key; "" without one.
  std::string Metadata(const std::string& key) const;
  // Returns the columns; the dim of lists is that of the first row, and -1 in a
  // file without rows.
  absl::StatusOr<std::vector<ParquetColumn>> Columns() const;
  // Calls `write` with the bytes of the blocks of the columns with these
  // indices, as parquet_frames.h says, without the last, empty one. DATA_LOSS
  // where row groups have other rows than num_rows().
  absl::Status ForEachBlock(
      const std::vector<int>& columns,
      absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> write) const;

 private:
  struct State;
  explicit ParquetFile(std::unique_ptr<State> state);
  absl::StatusOr<int64_t> ListLength(int column) const;
  // The error of row groups with `read` rows.
  absl::Status WrongRows(int64_t read) const;

  std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_PARQUET_PARQUET_FILE_H_
