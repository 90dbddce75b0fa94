#include "partition/pipeline/inputs/text/word_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/text/line_reader.h"

namespace tributary {
namespace {

constexpr size_t kMaxCells = size_t{1} << 20;

}  // namespace

absl::Status WordTable::ErrorAt(size_t row, absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " line ", row + 1, ": ", what));
}

absl::StatusOr<WordTable> ReadWordTable(const std::string& path) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  WordTable table{path, {}};
  size_t cells = 0;
  absl::string_view line;
  while (in.Next(&line)) {
    const auto columns =
        static_cast<size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    cells += columns;
    if (cells > kMaxCells) {
      return in.ErrorHere(
          absl::StrCat("a table of names; allowed: ", kMaxCells, " cells"));
    }
    if (!table.rows.empty() && columns != table.rows[0].size()) {
      return in.ErrorHere(absl::StrCat(columns, " cells; the first row has ",
                                       table.rows[0].size()));
    }
    table.rows.push_back(absl::StrSplit(line, ','));
  }
  RETURN_IF_ERROR(in.status());
  return table;
}

}  // namespace tributary
