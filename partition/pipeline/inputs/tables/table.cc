#include "partition/pipeline/inputs/tables/table.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/tables/parquet_cells.h"
#include "partition/pipeline/inputs/tables/text_table.h"

namespace tributary {
namespace {

// Appends the columns that one name means.
absl::Status FindOne(const std::string& wanted,
                     const std::vector<std::string>& names, int num_columns,
                     std::vector<int>& found) {
  const auto count = std::count(names.begin(), names.end(), wanted);
  if (count > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the column \"", wanted, "\" is there ", count, " times"));
  }
  if (count == 1) {
    found.push_back(
        static_cast<int>(absl::c_find(names, wanted) - names.begin()));
    return absl::OkStatus();
  }
  int number = 0;
  if (IsColumnNumber(wanted) && absl::SimpleAtoi(wanted, &number) &&
      number < num_columns) {
    found.push_back(number);
    return absl::OkStatus();
  }
  const size_t before = found.size();
  if (absl::EndsWith(wanted, "*")) {
    const auto prefix = absl::string_view(wanted).substr(0, wanted.size() - 1);
    for (size_t c = 0; c < names.size(); ++c) {
      if (absl::StartsWith(names[c], prefix)) {
        found.push_back(static_cast<int>(c));
      }
    }
  }
  if (found.size() > before) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is no column \"", wanted, "\""));
}

}  // namespace

bool IsColumnNumber(const std::string& name) {
  return !name.empty() && name.size() < 10 &&
         absl::c_all_of(name, absl::ascii_isdigit);
}

absl::StatusOr<std::vector<int>> FindColumns(
    const std::vector<std::string>& wanted,
    const std::vector<std::string>& names, int num_columns,
    const std::string& path) {
  std::vector<int> found;
  for (const std::string& name : wanted) {
    const absl::Status status = FindOne(name, names, num_columns, found);
    if (status.ok()) continue;
    constexpr size_t kShown = 20;
    const size_t shown = std::min(names.size(), kShown);
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": ", status.message(), "; allowed: 0 to ", num_columns - 1,
        names.empty() ? " (it has no header)" : ", or ",
        absl::StrJoin(names.begin(), names.begin() + shown, ", "),
        shown < names.size() ? ", ..." : ""));
  }
  return found;
}

absl::StatusOr<std::shared_ptr<Table>> OpenTable(
    const std::vector<std::string>& paths, const TableOptions& options) {
  const auto parquet = absl::c_count_if(paths, [](const std::string& path) {
    return absl::EndsWith(path, ".parquet");
  });
  if (parquet == static_cast<int64_t>(paths.size())) {
    return OpenParquetCells(paths);
  }
  if (parquet > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        paths[0], ": one table of Parquet and text files; allowed: either"));
  }
  ASSIGN_OR_RETURN(auto table, TextTable::Open(paths, options));
  return table;
}

}  // namespace tributary
