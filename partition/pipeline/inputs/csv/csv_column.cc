#include "partition/pipeline/inputs/csv/csv_column.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv/spooled_values.h"
#include "partition/pipeline/inputs/text/csv_rows.h"
#include "partition/pipeline/inputs/text/line_reader.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/source/spool_name.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

constexpr char kFloatAllowed[] =
    "a decimal number in float32's range (nan and inf too)";

// What a parser finds in a cell: a value, an error, or a value that needs a
// wider type than the column has.
template <typename T>
using Parsed = absl::StatusOr<std::optional<T>>;

// Parses all cells of `path` with parse(in, cell). Returns null at the first
// cell that needs a wider type. `one` allows only one column; `flat` is whether
// one column makes a column of dim 0.
template <typename T, typename Parse>
absl::StatusOr<ColumnPtr> ParseColumn(const std::string& path,
                                      const RowCount& num_rows,
                                      const Spool& spool,
                                      const std::string& name, DType dtype,
                                      bool one, bool flat, Parse parse) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path, spool.progress()));
  SpooledValues<T> values(spool, name);
  bool too_narrow = false;
  const auto begin = [&](int64_t columns) {
    return values.Begin({dtype, flat && columns == 1 ? 0 : columns});
  };
  const auto add_row = [&](absl::string_view line, int64_t columns) {
    if (one) RETURN_IF_ERROR(CheckOneColumn(in, columns));
    if (!values.begun()) RETURN_IF_ERROR(begin(columns));
    for (int64_t c = 0; c < columns; ++c) {
      const absl::string_view cell = one ? line : TakeCell(&line);
      ASSIGN_OR_RETURN(const std::optional<T> value, parse(in, cell));
      if (!value.has_value()) {
        too_narrow = true;
        return absl::CancelledError();  // ends the loop
      }
      values.Add(*value);
    }
    return values.EndRow();
  };
  const absl::Status read = ForEachRow(in, num_rows, add_row).status();
  if (too_narrow) return ColumnPtr();
  RETURN_IF_ERROR(read);
  if (!values.begun()) RETURN_IF_ERROR(begin(1));
  return values.Finish();
}

// Returns what an earlier run has left; null if it was not finished.
absl::StatusOr<ColumnPtr> FindColumn(const Spool& spool,
                                     const std::string& path,
                                     const std::string& name,
                                     const RowCount& num_rows) {
  ASSIGN_OR_RETURN(ColumnPtr column, spool.Find(name));
  if (column == nullptr || column->num_rows() != num_rows.rows)
    return ColumnPtr();
  spool.Advance(path, InputProgress::kAll);
  return column;
}

Parsed<float> ParseFloatCell(const LineReader& in, absl::string_view cell) {
  const auto value = ParseFloat32(cell);
  if (!value.has_value()) return CellError(in, cell, kFloatAllowed);
  return value;
}

Parsed<int64_t> ParseWholeLabel(const LineReader&, absl::string_view cell) {
  return ParseWholeNumber(cell);
}

// Accepts numbers as programs write them: "1.0" and "0.000e+00" too.
std::optional<bool> ParseBool(absl::string_view cell) {
  const absl::string_view word = absl::StripAsciiWhitespace(cell);
  if (absl::EqualsIgnoreCase(word, "true")) return true;
  if (absl::EqualsIgnoreCase(word, "false")) return false;
  const auto number = ParseWholeNumber(cell);
  if (!number.has_value() || *number < 0 || *number > 1) return std::nullopt;
  return *number == 1;
}

Parsed<uint8_t> ParseMaskCell(const LineReader& in, absl::string_view cell) {
  const auto value = ParseBool(cell);
  if (!value.has_value()) {
    return CellError(in, cell, "a mask's value: 0 or 1, false or true");
  }
  return static_cast<uint8_t>(*value ? 1 : 0);
}

Parsed<int64_t> ParseTimeCell(const LineReader& in, absl::string_view cell) {
  const auto time = ParseWholeNumber(cell);
  if (!time.has_value()) {
    return CellError(in, cell,
                     "a time, a whole number of int64; give fractions in a "
                     "smaller unit (1.5 seconds as 1500 milliseconds)");
  }
  return time;
}

Parsed<double> ParseWeightCell(const LineReader& in, absl::string_view cell) {
  const auto weight = ParseFloat64(cell);
  if (!weight.has_value() || !IsWeight(*weight)) {
    return CellError(in, cell,
                     "a weight, a decimal number that is finite and not "
                     "negative");
  }
  return weight;
}

bool IsFloat32(double value) {
  return value <= std::numeric_limits<float>::max() &&
         static_cast<double>(static_cast<float>(value)) == value;
}

Parsed<float> ParseExactWeight(const LineReader& in, absl::string_view cell) {
  ASSIGN_OR_RETURN(const auto weight, ParseWeightCell(in, cell));
  if (!IsFloat32(*weight)) return std::nullopt;
  return static_cast<float>(*weight);
}

}  // namespace

absl::StatusOr<ColumnPtr> ReadFloatTable(const std::string& path,
                                         const RowCount& num_rows,
                                         const Spool& spool) {
  const std::string name = SpoolName(path, "floats");
  ASSIGN_OR_RETURN(ColumnPtr found, FindColumn(spool, path, name, num_rows));
  if (found != nullptr) return found;
  return ParseColumn<float>(path, num_rows, spool, name, DType::kFloat32,
                            /*one=*/false, /*flat=*/false, ParseFloatCell);
}

absl::StatusOr<ColumnPtr> ReadLabelTable(const std::string& path,
                                         const RowCount& num_rows,
                                         const Spool& spool) {
  const std::string name = SpoolName(path, "labels");
  ASSIGN_OR_RETURN(ColumnPtr labels, FindColumn(spool, path, name, num_rows));
  if (labels != nullptr) return labels;
  ASSIGN_OR_RETURN(labels, ParseColumn<int64_t>(
                               path, num_rows, spool, name, DType::kInt64,
                               /*one=*/false, /*flat=*/true, ParseWholeLabel));
  if (labels != nullptr) return labels;
  return ParseColumn<float>(path, num_rows, spool, name, DType::kFloat32,
                            /*one=*/false, /*flat=*/true, ParseFloatCell);
}

absl::StatusOr<ColumnPtr> ReadWeightTable(const std::string& path,
                                          const RowCount& num_rows,
                                          const Spool& spool) {
  const std::string name = SpoolName(path, "weights");
  ASSIGN_OR_RETURN(ColumnPtr weights, FindColumn(spool, path, name, num_rows));
  if (weights != nullptr) return weights;
  ASSIGN_OR_RETURN(weights, ParseColumn<float>(
                                path, num_rows, spool, name, DType::kFloat32,
                                /*one=*/true, /*flat=*/true, ParseExactWeight));
  if (weights != nullptr) return weights;
  return ParseColumn<double>(path, num_rows, spool, name, DType::kFloat64,
                             /*one=*/true, /*flat=*/true, ParseWeightCell);
}

absl::StatusOr<ColumnPtr> ReadTimeTable(const std::string& path,
                                        const RowCount& num_rows,
                                        const Spool& spool) {
  const std::string name = SpoolName(path, "times");
  ASSIGN_OR_RETURN(ColumnPtr found, FindColumn(spool, path, name, num_rows));
  if (found != nullptr) return found;
  return ParseColumn<int64_t>(path, num_rows, spool, name, DType::kInt64,
                              /*one=*/true, /*flat=*/true, ParseTimeCell);
}

absl::StatusOr<ColumnPtr> ReadMaskTable(const std::string& path,
                                        const RowCount& num_rows,
                                        const Spool& spool) {
  const std::string name = SpoolName(path, "mask");
  ASSIGN_OR_RETURN(ColumnPtr found, FindColumn(spool, path, name, num_rows));
  if (found != nullptr) return found;
  return ParseColumn<uint8_t>(path, num_rows, spool, name, DType::kBool,
                              /*one=*/true, /*flat=*/true, ParseMaskCell);
}

absl::StatusOr<EndColumns> ReadEdgeTable(const std::string& path,
                                         const RowCount& num_rows,
                                         int64_t num_src, int64_t num_dst,
                                         const Spool& spool) {
  const std::string from_name = SpoolName(path, "from");
  const std::string to_name = SpoolName(path, "to");
  EndColumns ends;
  ASSIGN_OR_RETURN(ends.from, FindColumn(spool, path, from_name, num_rows));
  ASSIGN_OR_RETURN(ends.to, FindColumn(spool, path, to_name, num_rows));
  if (ends.from != nullptr && ends.to != nullptr) return ends;
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path, spool.progress()));
  SpooledValues<int64_t> from(spool, from_name), to(spool, to_name);
  RETURN_IF_ERROR(from.Begin({DType::kInt64, 0}, ends.from));
  RETURN_IF_ERROR(to.Begin({DType::kInt64, 0}, ends.to));
  const auto add_row = [&](absl::string_view line, int64_t) {
    ASSIGN_OR_RETURN(const auto pair, ParsePair(in, line, num_src, num_dst));
    from.Add(pair.first);
    to.Add(pair.second);
    RETURN_IF_ERROR(from.EndRow());
    return to.EndRow();
  };
  RETURN_IF_ERROR(ForEachRow(in, num_rows, add_row).status());
  ASSIGN_OR_RETURN(ends.from, from.Finish());
  ASSIGN_OR_RETURN(ends.to, to.Finish());
  return ends;
}

}  // namespace tributary
