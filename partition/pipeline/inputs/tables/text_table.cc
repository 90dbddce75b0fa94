#include "partition/pipeline/inputs/tables/text_table.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/tables/cell_sink.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/pipeline/inputs/text/text_parts.h"

namespace tributary {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kSampledRows = 1000;

// Returns the bytes of a column that a byte of its text makes at least.
// Programs write a whole number in up to 20 characters and a delimiter, which
// become 8 bytes; other numbers in up to 25, which become 4; a name with quotes
// and a delimiter becomes itself and its length.
double LeastShare(CellKind kind) {
  switch (kind) {
    case CellKind::kFloats:
    case CellKind::kLabels:
    case CellKind::kWeight:
      return 1.0 / 7;
    case CellKind::kMask:
      return 0;  // one byte, of a text of any length
    case CellKind::kTime:
    case CellKind::kDenseId:
    case CellKind::kNumberId:
    case CellKind::kTextId:
    case CellKind::kSplit:
      break;
  }
  return 1.0 / 3;
}

// Reads the next line that is no comment at the top of the file.
bool NextLine(LineReader& in, absl::string_view* line) {
  while (in.Next(line)) {
    if (in.line_number() == 1) absl::ConsumePrefix(line, kByteOrderMark);
    if (!absl::StartsWith(*line, "#")) return true;
  }
  return false;
}

absl::string_view SuffixOf(absl::string_view path) {
  absl::ConsumeSuffix(&path, ".gz");
  const size_t dot = path.rfind('.');
  return dot == absl::string_view::npos ? "" : path.substr(dot);
}

char DelimiterOf(const std::string& path, absl::string_view line) {
  const absl::string_view suffix = SuffixOf(path);
  if (suffix == ".csv") return ',';
  if (suffix == ".tsv") return '\t';
  for (char c : {'\t', ',', ';', '|'}) {
    if (absl::StrContains(line, c)) return c;
  }
  return ' ';
}

bool HasNumber(absl::Span<const std::string> cells) {
  return absl::c_any_of(cells, [](const std::string& cell) {
    return ParseFloat64(cell).has_value();
  });
}

// Whether words are what programs call the columns of a table of edges or
// nodes by, perhaps with "_id" behind.
bool HasUsualNames(const std::vector<std::string>& cells) {
  constexpr absl::string_view kUsual[] = {
      "src",  "dst",  "source", "target", "destination", "from", "to",
      "head", "tail", "u",      "v",      "id",          "node"};
  return absl::c_any_of(cells, [&](const std::string& cell) {
    const std::string word =
        absl::AsciiStrToLower(absl::StripAsciiWhitespace(cell));
    return absl::c_linear_search(kUsual, absl::StripSuffix(word, "_id"));
  });
}

absl::StatusOr<std::vector<std::string>> Copy(const LineReader& in,
                                              RowSplitter& splitter,
                                              absl::string_view line) {
  const auto cells = splitter.Split(line);
  if (!cells.ok()) return in.ErrorHere(cells.status().message());
  return std::vector<std::string>(cells->begin(), cells->end());
}

}  // namespace

absl::StatusOr<std::shared_ptr<TextTable>> TextTable::Open(
    std::vector<std::string> paths, const TableOptions& options) {
  std::shared_ptr<TextTable> table(new TextTable(std::move(paths)));
  RETURN_IF_ERROR(table->DecideByFirstLines(options));
  return table;
}

absl::Status TextTable::DecideByFirstLines(const TableOptions& options) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(paths_[0]));
  absl::string_view line;
  if (!NextLine(in, &line)) {
    RETURN_IF_ERROR(in.status());
    return absl::InvalidArgumentError(
        absl::StrCat(paths_[0],
                     " is empty; wanted: a row for each edge or "
                     "node, or a header"));
  }
  delimiter_ = options.delimiter.has_value() ? *options.delimiter
                                             : DelimiterOf(paths_[0], line);
  RowSplitter splitter(delimiter_);
  ASSIGN_OR_RETURN(std::vector<std::string> first, Copy(in, splitter, line));
  num_columns_ = static_cast<int>(first.size());
  header_ = options.header.value_or(false);
  if (!options.header.has_value()) {
    std::vector<std::string> second;
    if (NextLine(in, &line)) {
      ASSIGN_OR_RETURN(second, Copy(in, splitter, line));
    }
    RETURN_IF_ERROR(in.status());
    header_ =
        options.named_columns ||
        (!HasNumber(first) && (HasUsualNames(first) || HasNumber(second)));
    if (!header_ && !HasNumber(first)) {
      note_ = absl::StrCat(paths_[0],
                           " is read without a header: its first line is a "
                           "row; give --header yes if it names the columns");
    }
  }
  if (header_) names_ = std::move(first);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int>> TextTable::Find(
    const std::vector<std::string>& names) const {
  return FindColumns(names, names_, num_columns_, paths_[0]);
}

std::string TextTable::NameOf(int column) const {
  if (header_) return names_[column];
  return absl::StrCat(column);
}

absl::StatusOr<bool> TextTable::SkipHeader(LineReader& in,
                                           RowSplitter& splitter,
                                           absl::string_view* first) const {
  bool more = NextLine(in, first);
  if (more && header_) {
    ASSIGN_OR_RETURN(const auto names, Copy(in, splitter, *first));
    if (names != names_) {
      return in.ErrorHere(absl::StrCat("other columns than ", paths_[0],
                                       "; allowed: the same header"));
    }
    more = in.Next(first);
  }
  return more;
}

absl::Status TextTable::ForEachRow(const std::string& path,
                                   InputProgress* progress, bool keep_blank_end,
                                   UseRow use) const {
  ASSIGN_OR_RETURN(LineReader in,
                   LineReader::Open(path, progress, keep_blank_end));
  RowSplitter splitter(delimiter_);
  absl::string_view line;
  ASSIGN_OR_RETURN(bool more, SkipHeader(in, splitter, &line));
  for (; more; more = in.Next(&line)) {
    const auto cells = splitter.Split(line);
    if (!cells.ok()) return in.ErrorHere(cells.status().message());
    if (static_cast<int>(cells->size()) != num_columns_) {
      return in.ErrorHere(absl::StrCat(
          cells->size(), " cells; the first line has ", num_columns_));
    }
    RETURN_IF_ERROR(use(in, *cells));
  }
  return in.status();
}

double TextTable::LeastColumnBytes(
    absl::Span<const CellRequest> requests) const {
  auto in = LineReader::Open(paths_[0]);
  if (!in.ok()) return 0;
  RowSplitter splitter(delimiter_);
  absl::string_view line;
  const auto first = SkipHeader(*in, splitter, &line);
  double text = 0;
  double columns = 0;
  bool more = first.ok() && *first;
  for (int row = 0; more && row < kSampledRows; ++row) {
    text += static_cast<double>(line.size() + 1);
    const auto cells = splitter.Split(line);
    if (!cells.ok() || static_cast<int>(cells->size()) != num_columns_) {
      return 0;  // Read says what is wrong
    }
    for (const CellRequest& request : requests) {
      for (int column : request.columns) {
        columns += LeastShare(request.kind) *
                   static_cast<double>((*cells)[column].size() + 1);
      }
    }
    more = in->Next(&line);
  }
  return text == 0 ? 0 : columns / text;
}

std::vector<ParsedPart> TextTable::Parts(
    absl::Span<const CellRequest> requests) const {
  const double per_byte = LeastColumnBytes(requests);
  std::vector<ParsedPart> parts;
  for (const std::string& path : paths_) {
    const TextSize size = MeasureText(path);
    parts.push_back({path, size.file_bytes,
                     static_cast<uint64_t>(
                         per_byte * static_cast<double>(size.least_bytes))});
  }
  return parts;
}

absl::StatusOr<std::vector<ColumnPtr>> TextTable::Read(
    absl::Span<const CellRequest> requests, const Spool& spool) {
  std::vector<ColumnPtr> columns(requests.size());
  std::vector<std::unique_ptr<CellSink>> sinks(requests.size());
  bool complete = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    ASSIGN_OR_RETURN(columns[i], FindCells(requests[i], spool));
    if (columns[i] != nullptr) continue;
    complete = false;
    ASSIGN_OR_RETURN(sinks[i], MakeCellSink(requests[i], spool));
  }
  const auto use = [&](const LineReader& in, Cells cells) -> absl::Status {
    for (size_t i = 0; i < sinks.size(); ++i) {
      if (sinks[i] == nullptr) continue;
      for (int column : requests[i].columns) {
        const absl::Status status = sinks[i]->Add(cells[column]);
        if (status.ok()) continue;
        if (!absl::IsInvalidArgument(status)) return status;
        return absl::InvalidArgumentError(
            absl::StrCat(in.path(), " line ", in.line_number(), ", column ",
                         NameOf(column), ": ", status.message()));
      }
    }
    return absl::OkStatus();
  };
  // A blank line may be a node without a split.
  const bool keep_blank_end =
      num_columns_ == 1 &&
      absl::c_any_of(requests, [](const CellRequest& request) {
        return request.kind == CellKind::kSplit;
      });
  for (const std::string& path : paths_) {
    if (complete) {
      spool.Advance(path, InputProgress::kAll);
    } else {
      RETURN_IF_ERROR(ForEachRow(path, spool.progress(), keep_blank_end, use));
    }
  }
  for (size_t i = 0; i < sinks.size(); ++i) {
    if (sinks[i] != nullptr) {
      ASSIGN_OR_RETURN(columns[i], sinks[i]->Finish());
    }
    const std::string name = NameOf(requests[i].columns[0]);
    columns[i] = std::make_shared<PlacedColumn>(
        columns[i], [table = shared_from_this(), name](int64_t row) {
          return absl::StrCat(table->Where(row), ", column ", name);
        });
  }
  return columns;
}

std::string TextTable::Where(int64_t row) const {
  for (const std::string& path : paths_) {
    auto in = LineReader::Open(path);
    if (!in.ok()) break;
    RowSplitter splitter(delimiter_);
    absl::string_view line;
    const auto first = SkipHeader(*in, splitter, &line);
    if (!first.ok()) break;
    for (bool more = *first; more; more = in->Next(&line), --row) {
      if (row == 0) return absl::StrCat(path, " line ", in->line_number());
    }
  }
  return absl::StrCat(paths_.back(), ", row ", row);
}

}  // namespace tributary
