// Reads Parquet files, by the program tributary-parquet.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "partition/schema/schema.h"
#include "partition/source/spool.h"

namespace tributary {

// A column of a Parquet table.
struct ParquetColumn {
  std::string name;
  bool is_text = false;
  // The type and width of values that are no texts. dim is 0 for one value per
  // row, otherwise the length that all lists of the column have.
  ColumnSchema schema;

  size_t row_bytes() const { return schema.row_bytes(); }
  friend bool operator==(const ParquetColumn&, const ParquetColumn&) = default;
};

// Consecutive rows of some columns. Valid during one call.
struct ParquetBlock {
  int64_t first_row = 0;  // of the table, over all files
  int64_t num_rows = 0;
  // By column, in the order asked for. Empty for texts.
  std::vector<absl::Span<const uint8_t>> values;
  // By column and row. Empty for columns that are no texts.
  std::vector<std::vector<absl::string_view>> texts;
};

// The rows of one or more Parquet files, one file after another, which have the
// same columns. Columns hold whole numbers, bool, floating-point numbers,
// texts, and lists of equal length of numbers; dates and times are their
// numbers. uint16 is read as int32, and uint32 and uint64 as int64. In columns
// of floating-point numbers null is NaN, as pandas writes it; elsewhere it is
// an error.
//
// Arrow's libraries have 60 MB, so no other program links them:
// tributary-parquet reads, in a process of its own, and sends rows through a
// pipe. It lies beside the running program or on PATH; FAILED_PRECONDITION
// names it and what to do where it is missing. Memory in both processes is
// bounded by a block of rows, and a page of each column that is read.
//
// Other errors: NOT_FOUND; DATA_LOSS for a damaged file; INVALID_ARGUMENT with
// file, column, row and what is allowed.
class ParquetTable {
 public:
  // Reads the columns and numbers of rows of the files. Requires a path.
  static absl::StatusOr<ParquetTable> Open(std::vector<std::string> paths);

  const std::vector<ParquetColumn>& columns() const { return columns_; }
  // Returns the index of a column; INVALID_ARGUMENT lists the columns there
  // are.
  absl::StatusOr<int> Find(absl::string_view name) const;
  int64_t num_rows() const;
  const std::vector<std::string>& paths() const { return paths_; }
  // The number of rows, by file.
  const std::vector<int64_t>& file_rows() const { return file_rows_; }
  // The text of the first file's metadata "shape"; "" without one. DGL's tools
  // write an array's shape there.
  const std::string& shape() const { return shape_; }
  // Returns where a row is from, for messages: "edges.parquet, row 7".
  std::string Where(int64_t row) const;

  // Calls `use` for all rows of the columns with these indices, in order, in
  // blocks. An error of `use` ends the reading and is returned.
  absl::Status ForEachBlock(
      const std::vector<int>& columns,
      absl::FunctionRef<absl::Status(const ParquetBlock&)> use) const;

  // Returns what reading these columns as the part `name` comes to.
  ParsedPart Part(const std::vector<int>& columns,
                  const std::string& name) const;
  // Returns the bytes of such a part up to the row `end`.
  int64_t PartBytes(const std::vector<int>& columns, int64_t end) const;

  // Copies columns of equal type into one column of the spool, side by side: of
  // k columns of one value each [num_rows, k]. One column keeps its width.
  // Reports to the spool as the part `name`. Returns what an earlier run has
  // finished. INVALID_ARGUMENT if the types
  // differ or are texts.
  absl::StatusOr<ColumnPtr> ToSpool(const std::vector<int>& columns,
                                    const Spool& spool,
                                    const std::string& name) const;

 private:
  std::vector<std::string> paths_;
  std::vector<int64_t> file_rows_;
  std::vector<ParquetColumn> columns_;
  std::string shape_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_TABLE_H_
