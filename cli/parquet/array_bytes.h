// Converts Arrow's types and arrays to those of a graph.
#ifndef TRIBUTARY_CLI_PARQUET_ARRAY_BYTES_H_
#define TRIBUTARY_CLI_PARQUET_ARRAY_BYTES_H_

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/parquet/parquet_table.h"

namespace tributary {

// Returns whether the arrays of a type are lists, of equal length or any.
bool IsList(const arrow::DataType& type);

// Returns the column of a graph for one of Arrow, with dim -1 for lists of any
// length. INVALID_ARGUMENT if the type is none of those that ParquetTable
// reads.
absl::StatusOr<ParquetColumn> ColumnFor(const std::string& name,
                                        const arrow::DataType& type);

// A row whose value a graph cannot hold.
struct WrongRow {
  int64_t row = 0;   // of the array
  std::string what;  // what is wrong, and what is allowed
};

// The functions below take rows [begin, end) of an array of a column that
// ColumnFor() accepts, and stop at the first wrong row.

// Appends the values as ParquetBlock has them.
std::optional<WrongRow> AppendValues(const arrow::Array& array, int64_t begin,
                                     int64_t end, const ParquetColumn& column,
                                     std::vector<uint8_t>& out);
// Appends the texts, which live as long as the array.
std::optional<WrongRow> AppendTexts(const arrow::Array& array, int64_t begin,
                                    int64_t end,
                                    std::vector<absl::string_view>& out);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_PARQUET_ARRAY_BYTES_H_
