// Rows and cells of CSV files without quoting, with errors that name the line.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_CSV_ROWS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_CSV_ROWS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/text/line_reader.h"

namespace tributary {

// Removes and returns the first cell of `line`.
absl::string_view TakeCell(absl::string_view* line);
int64_t CountColumns(absl::string_view line);

// INVALID_ARGUMENT with file, line, the cell and what is allowed in its place.
absl::Status CellError(const LineReader& in, absl::string_view cell,
                       absl::string_view allowed);
// INVALID_ARGUMENT unless the line has one cell.
absl::Status CheckOneColumn(const LineReader& in, int64_t columns);

// The number of rows that a file must have. Also made from a number alone.
struct RowCount {
  RowCount(int64_t count, std::string file = "")
      : rows(count), said_by(std::move(file)) {}

  int64_t rows;
  std::string said_by;  // the file with the number, for messages; may be empty
};
absl::Status TooFewRows(const LineReader& in, const RowCount& wanted);
// Requires that the reader is at the first line that is not wanted.
absl::Status TooManyRows(const LineReader& in, const RowCount& wanted);

// Parses an id below `count`; `of`, "node" or "edge", is for messages.
absl::StatusOr<int64_t> ParseBoundedId(const LineReader& in,
                                       absl::string_view cell, int64_t count,
                                       absl::string_view of);
// Parses "source,destination".
absl::StatusOr<std::pair<int64_t, int64_t>> ParsePair(const LineReader& in,
                                                      absl::string_view line,
                                                      int64_t num_src,
                                                      int64_t num_dst);

// Calls row(line, columns) for each line. There must be `wanted` lines, with
// as many cells as the first one. Returns the number of columns.
template <typename Row>
absl::StatusOr<int64_t> ForEachRow(LineReader& in, const RowCount& wanted,
                                   Row row) {
  int64_t columns = 0;
  absl::string_view line;
  while (in.Next(&line)) {
    const auto number = static_cast<int64_t>(in.line_number());
    if (number > wanted.rows) return TooManyRows(in, wanted);
    const int64_t found = CountColumns(line);
    if (columns == 0) columns = found;
    if (found != columns) {
      return in.ErrorHere(
          absl::StrCat(found, " cells; the first row has ", columns));
    }
    RETURN_IF_ERROR(row(line, columns));
  }
  RETURN_IF_ERROR(in.status());
  if (static_cast<int64_t>(in.line_number()) != wanted.rows) {
    return TooFewRows(in, wanted);
  }
  return columns;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_CSV_ROWS_H_
