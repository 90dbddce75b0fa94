#include "partition/pipeline/inputs/text/csv_rows.h"

#include <algorithm>

#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {

absl::string_view TakeCell(absl::string_view* line) {
  const size_t comma = std::min(line->find(','), line->size());
  const absl::string_view cell = line->substr(0, comma);
  line->remove_prefix(std::min(comma + 1, line->size()));
  return cell;
}

int64_t CountColumns(absl::string_view line) {
  return std::count(line.begin(), line.end(), ',') + 1;
}

absl::Status CellError(const LineReader& in, absl::string_view cell,
                       absl::string_view allowed) {
  const bool empty = cell.find_first_not_of(" \t") == absl::string_view::npos;
  return in.ErrorHere(absl::StrCat(
      empty ? "an empty cell" : absl::StrCat("\"", cell.substr(0, 40), "\""),
      "; allowed: ", allowed));
}

absl::Status CheckOneColumn(const LineReader& in, int64_t columns) {
  if (columns == 1) return absl::OkStatus();
  return in.ErrorHere(absl::StrCat(columns, " cells; allowed: 1"));
}

absl::Status TooFewRows(const LineReader& in, const RowCount& wanted) {
  return absl::InvalidArgumentError(absl::StrCat(
      in.path(), " has ", in.line_number(), " rows; wanted: ", wanted.rows,
      wanted.said_by.empty() ? ""
                             : absl::StrCat(", as ", wanted.said_by, " says")));
}

absl::Status TooManyRows(const LineReader& in, const RowCount& wanted) {
  return in.ErrorHere(absl::StrCat(
      "one row more than the ", wanted.rows, " wanted",
      wanted.said_by.empty() ? ""
                             : absl::StrCat(", as ", wanted.said_by, " says")));
}

absl::StatusOr<int64_t> ParseBoundedId(const LineReader& in,
                                       absl::string_view cell, int64_t count,
                                       absl::string_view of) {
  const auto id = ParseId(cell);
  if (id.has_value() && *id < count) return *id;
  return CellError(in, cell,
                   count == 0
                       ? absl::StrCat("no rows, for there are no ", of, "s")
                       : absl::StrCat(of, " ids 0 to ", count - 1));
}

absl::StatusOr<std::pair<int64_t, int64_t>> ParsePair(const LineReader& in,
                                                      absl::string_view line,
                                                      int64_t num_src,
                                                      int64_t num_dst) {
  const int64_t columns = CountColumns(line);
  if (columns != 2) {
    return in.ErrorHere(
        absl::StrCat(columns, " cells; allowed: 2, \"source,destination\""));
  }
  ASSIGN_OR_RETURN(const int64_t src,
                   ParseBoundedId(in, TakeCell(&line), num_src, "node"));
  ASSIGN_OR_RETURN(const int64_t dst,
                   ParseBoundedId(in, TakeCell(&line), num_dst, "node"));
  return std::pair(src, dst);
}

}  // namespace tributary
