#include "partition/pipeline/inputs/csv_table.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/line_reader.h"
#include "partition/pipeline/inputs/number_text.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

// The largest number of cells to reserve memory for. A larger count may be
// wrong, so memory for more is allocated as rows are read.
constexpr int64_t kMaxReserve = int64_t{1} << 22;

// Removes and returns the first cell of `line`.
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

absl::Status RowCountError(const LineReader& in, int64_t wanted) {
  return absl::InvalidArgumentError(absl::StrCat(
      in.path(), " has ", in.line_number(), " rows; wanted: ", wanted));
}

// Calls row(line, columns) for each line. There must be `num_rows` lines, with
// as many cells as the first one. Returns the number of columns.
template <typename Row>
absl::StatusOr<int64_t> ForEachRow(LineReader& in, int64_t num_rows, Row row) {
  int64_t columns = 0;
  absl::string_view line;
  while (in.Next(&line)) {
    const auto number = static_cast<int64_t>(in.line_number());
    if (number > num_rows) {
      return in.ErrorHere(
          absl::StrCat("one row more than the ", num_rows, " wanted"));
    }
    const int64_t found = CountColumns(line);
    if (columns == 0) columns = found;
    if (found != columns) {
      return in.ErrorHere(
          absl::StrCat(found, " cells; the first row has ", columns));
    }
    RETURN_IF_ERROR(row(line, columns));
  }
  RETURN_IF_ERROR(in.status());
  if (static_cast<int64_t>(in.line_number()) != num_rows) {
    return RowCountError(in, num_rows);
  }
  return columns;
}

template <typename T>
void ReserveFor(std::vector<T>& values, int64_t num_rows, int64_t columns) {
  if (values.empty() && num_rows < kMaxReserve / columns) {
    values.reserve(static_cast<size_t>(num_rows * columns));
  }
}

constexpr char kFloatAllowed[] =
    "a decimal number in float32's range (nan and inf too)";

// The cells of a label file, as integers while all are whole, and always as
// floats too, since the first number that is not whole may come last.
class LabelCells {
 public:
  absl::Status Add(const LineReader& in, absl::string_view cell) {
    if (whole_.has_value()) {
      const auto whole = ParseWholeNumber(cell);
      if (whole.has_value()) {
        whole_->push_back(*whole);
      } else {
        whole_.reset();
      }
    }
    const auto value = ParseFloat32(cell);
    if (!value.has_value()) return CellError(in, cell, kFloatAllowed);
    floats_.push_back(*value);
    return absl::OkStatus();
  }

  std::shared_ptr<const RowSource> Finish(int64_t columns) && {
    const int64_t dim = columns == 1 ? 0 : columns;
    if (whole_.has_value()) {
      return std::make_shared<StoredRows<int64_t>>(
          ColumnSchema{DType::kInt64, dim}, *std::move(whole_));
    }
    return std::make_shared<StoredRows<float>>(
        ColumnSchema{DType::kFloat32, dim}, std::move(floats_));
  }

 private:
  std::optional<std::vector<int64_t>> whole_ = std::vector<int64_t>();
  std::vector<float> floats_;
};

// Accepts numbers as programs write them: "1.0" and "0.000e+00" too.
std::optional<bool> ParseBool(absl::string_view cell) {
  const absl::string_view word = absl::StripAsciiWhitespace(cell);
  if (absl::EqualsIgnoreCase(word, "true")) return true;
  if (absl::EqualsIgnoreCase(word, "false")) return false;
  const auto number = ParseWholeNumber(cell);
  if (!number.has_value() || *number < 0 || *number > 1) return std::nullopt;
  return *number == 1;
}

absl::Status CheckOneColumn(const LineReader& in, int64_t columns) {
  if (columns == 1) return absl::OkStatus();
  return in.ErrorHere(absl::StrCat(columns, " cells; allowed: 1"));
}

bool IsFloat32(double value) {
  return value <= std::numeric_limits<float>::max() &&
         static_cast<double>(static_cast<float>(value)) == value;
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

absl::StatusOr<int64_t> ParseNodeId(const LineReader& in,
                                    absl::string_view cell, int64_t num_nodes) {
  return ParseBoundedId(in, cell, num_nodes, "node");
}

absl::Status AddPair(const LineReader& in, absl::string_view line,
                     int64_t num_src, int64_t num_dst, EdgeRows& rows) {
  const int64_t columns = CountColumns(line);
  if (columns != 2) {
    return in.ErrorHere(
        absl::StrCat(columns, " cells; allowed: 2, \"source,destination\""));
  }
  ASSIGN_OR_RETURN(const int64_t src,
                   ParseNodeId(in, TakeCell(&line), num_src));
  ASSIGN_OR_RETURN(const int64_t dst,
                   ParseNodeId(in, TakeCell(&line), num_dst));
  rows.src.push_back(src);
  rows.dst.push_back(dst);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const RowSource>> ReadFloatTable(
    const std::string& path, int64_t num_rows) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<float> values;
  const auto add_row = [&](absl::string_view line, int64_t columns) {
    ReserveFor(values, num_rows, columns);
    for (int64_t c = 0; c < columns; ++c) {
      const absl::string_view cell = TakeCell(&line);
      const auto value = ParseFloat32(cell);
      if (!value.has_value()) return CellError(in, cell, kFloatAllowed);
      values.push_back(*value);
    }
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(const int64_t columns, ForEachRow(in, num_rows, add_row));
  return std::make_shared<StoredRows<float>>(
      ColumnSchema{DType::kFloat32, std::max<int64_t>(columns, 1)},
      std::move(values));
}

absl::StatusOr<std::shared_ptr<const RowSource>> ReadLabelTable(
    const std::string& path, int64_t num_rows) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  LabelCells cells;
  const auto add_row = [&](absl::string_view line, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) {
      RETURN_IF_ERROR(cells.Add(in, TakeCell(&line)));
    }
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(const int64_t columns, ForEachRow(in, num_rows, add_row));
  return std::move(cells).Finish(std::max<int64_t>(columns, 1));
}

absl::StatusOr<std::shared_ptr<const RowSource>> ReadWeightTable(
    const std::string& path, int64_t num_rows) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<double> weights;
  const auto add_row = [&](absl::string_view line, int64_t columns) {
    RETURN_IF_ERROR(CheckOneColumn(in, columns));
    ReserveFor(weights, num_rows, columns);
    const auto weight = ParseFloat64(line);
    if (!weight.has_value() || !IsWeight(*weight)) {
      return CellError(in, line,
                       "a weight, a decimal number that is finite and not "
                       "negative");
    }
    weights.push_back(*weight);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachRow(in, num_rows, add_row).status());
  if (!absl::c_all_of(weights, IsFloat32)) {
    return std::make_shared<StoredRows<double>>(
        ColumnSchema{DType::kFloat64, 0}, std::move(weights));
  }
  return std::make_shared<StoredRows<float>>(
      ColumnSchema{DType::kFloat32, 0},
      std::vector<float>(weights.begin(), weights.end()));
}

absl::StatusOr<std::shared_ptr<const RowSource>> ReadTimeTable(
    const std::string& path, int64_t num_rows) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<int64_t> times;
  const auto add_row = [&](absl::string_view line, int64_t columns) {
    RETURN_IF_ERROR(CheckOneColumn(in, columns));
    ReserveFor(times, num_rows, columns);
    const auto time = ParseWholeNumber(line);
    if (!time.has_value()) {
      return CellError(in, line,
                       "a time, a whole number of int64; give fractions in a "
                       "smaller unit (1.5 seconds as 1500 milliseconds)");
    }
    times.push_back(*time);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachRow(in, num_rows, add_row).status());
  return std::make_shared<StoredRows<int64_t>>(ColumnSchema{DType::kInt64, 0},
                                               std::move(times));
}

absl::StatusOr<std::shared_ptr<const RowSource>> ReadMaskTable(
    const std::string& path, int64_t num_rows) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<uint8_t> mask;
  const auto add_row = [&](absl::string_view line, int64_t columns) {
    RETURN_IF_ERROR(CheckOneColumn(in, columns));
    ReserveFor(mask, num_rows, columns);
    const auto value = ParseBool(line);
    if (!value.has_value()) {
      return CellError(in, line, "a mask's value: 0 or 1, false or true");
    }
    mask.push_back(*value ? 1 : 0);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachRow(in, num_rows, add_row).status());
  return std::make_shared<StoredRows<uint8_t>>(ColumnSchema{DType::kBool, 0},
                                               std::move(mask));
}

absl::StatusOr<EdgeRows> ReadEdgeTable(const std::string& path,
                                       int64_t num_rows, int64_t num_src,
                                       int64_t num_dst) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  EdgeRows rows;
  ReserveFor(rows.src, num_rows, 1);
  ReserveFor(rows.dst, num_rows, 1);
  const auto add_row = [&](absl::string_view line, int64_t) {
    return AddPair(in, line, num_src, num_dst, rows);
  };
  RETURN_IF_ERROR(ForEachRow(in, num_rows, add_row).status());
  return rows;
}

absl::StatusOr<std::optional<EdgeRows>> ReadPairList(const std::string& path,
                                                     int64_t num_src,
                                                     int64_t num_dst) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  EdgeRows rows;
  absl::string_view line;
  while (in.Next(&line)) {
    if (in.line_number() == 1 && CountColumns(line) == 1) return std::nullopt;
    RETURN_IF_ERROR(AddPair(in, line, num_src, num_dst, rows));
  }
  RETURN_IF_ERROR(in.status());
  if (rows.src.empty()) return std::nullopt;
  return rows;
}

absl::StatusOr<std::optional<std::vector<int64_t>>> ReadIdList(
    const std::string& path, int64_t num_ids, absl::string_view of) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<int64_t> ids;
  absl::string_view line;
  while (in.Next(&line)) {
    const int64_t columns = CountColumns(line);
    if (columns > 1 && in.line_number() == 1) return std::nullopt;
    if (columns > 1) {
      return in.ErrorHere(absl::StrCat(columns, " cells; allowed: 1"));
    }
    ASSIGN_OR_RETURN(const int64_t id, ParseBoundedId(in, line, num_ids, of));
    ids.push_back(id);
  }
  RETURN_IF_ERROR(in.status());
  return ids;
}

absl::StatusOr<std::vector<EdgeRows>> ReadTripleList(const std::string& path,
                                                     int64_t num_nodes,
                                                     int64_t num_relations) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<EdgeRows> triples(num_relations);
  absl::string_view line;
  while (in.Next(&line)) {
    if (const int64_t columns = CountColumns(line); columns != 3) {
      return in.ErrorHere(
          absl::StrCat(columns, " cells; allowed: 3, \"head,relation,tail\""));
    }
    ASSIGN_OR_RETURN(const int64_t head,
                     ParseNodeId(in, TakeCell(&line), num_nodes));
    ASSIGN_OR_RETURN(
        const int64_t relation,
        ParseBoundedId(in, TakeCell(&line), num_relations, "relation"));
    ASSIGN_OR_RETURN(const int64_t tail, ParseNodeId(in, line, num_nodes));
    triples[relation].src.push_back(head);
    triples[relation].dst.push_back(tail);
  }
  RETURN_IF_ERROR(in.status());
  return triples;
}

absl::StatusOr<int64_t> ReadSingleCount(const std::string& path) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  int64_t count = 0;
  const auto add_row = [&](absl::string_view line, int64_t) {
    const auto value = ParseCount(line);
    if (!value.has_value()) {
      return CellError(in, line,
                       absl::StrCat("one whole number up to ", kMaxCount));
    }
    count = *value;
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachRow(in, 1, add_row).status());
  return count;
}

}  // namespace tributary
