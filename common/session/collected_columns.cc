#include "common/session/collected_columns.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/proto/session.pb.h"
#include "common/session/refuse.h"

namespace tributary {
namespace {

constexpr std::pair<CollectedColumn, std::string_view> kColumns[] = {
    {CollectedColumn::kX, "x"},
    {CollectedColumn::kY, "y"},
    {CollectedColumn::kEdgeAttr, "edge_attr"},
    {CollectedColumn::kTime, "time"},
    {CollectedColumn::kWeight, "weight"},
    {CollectedColumn::kSeedTime, "seed_time"},
};
constexpr std::string_view kNone = "none";

absl::Status RefuseText(absl::string_view text, absl::string_view why) {
  return Refuse("collect: \"", text, "\"", why,
                "; allowed: ", std::string(kCollectedColumnNames));
}

}  // namespace

absl::StatusOr<CollectedColumns> CollectedColumnsFromText(
    std::string_view text) {
  CollectedColumns columns = CollectedColumns::None();
  const absl::string_view whole(text.data(), text.size());
  if (text == kNone) return columns;
  for (const absl::string_view part : absl::StrSplit(whole, ',')) {
    const auto* const found = std::find_if(
        std::begin(kColumns), std::end(kColumns), [part](const auto& column) {
          return column.second == std::string_view(part.data(), part.size());
        });
    if (found == std::end(kColumns)) return RefuseText(whole, "");
    if (columns.has(found->first)) {
      return RefuseText(whole, absl::StrCat(" names ", part, " twice"));
    }
    columns.Add(found->first);
  }
  return columns;
}

std::string CollectedColumnsText(const CollectedColumns& columns) {
  if (columns.empty()) return std::string(kNone);
  std::string text;
  for (const auto& [column, name] : kColumns) {
    if (!columns.has(column)) continue;
    absl::StrAppend(&text, text.empty() ? "" : ",", std::string(name));
  }
  return text;
}

void SetCollectedColumns(const CollectedColumns& columns,
                         v1::SessionSpec* spec) {
  const bool usual = columns == CollectedColumns();
  spec->set_collect_features(usual);
  spec->clear_columns();
  if (usual) return;
  for (const auto& [column, name] : kColumns) {
    if (!columns.has(column)) continue;
    spec->add_columns(static_cast<v1::CollectedColumn>(column));
  }
}

absl::StatusOr<CollectedColumns> CollectedColumnsOf(
    const v1::SessionSpec& spec) {
  CollectedColumns columns;
  if (!spec.collect_features()) columns = CollectedColumns::None();
  for (const int column : spec.columns()) {
    if (!v1::CollectedColumn_IsValid(column) || column == 0) {
      return Refuse("column ", column, "; allowed: 1 to ",
                    static_cast<int>(v1::CollectedColumn_MAX));
    }
    columns.Add(static_cast<CollectedColumn>(column));
  }
  v1::SessionSpec canonical;
  SetCollectedColumns(columns, &canonical);
  if (canonical.collect_features() == spec.collect_features() &&
      std::equal(canonical.columns().begin(), canonical.columns().end(),
                 spec.columns().begin(), spec.columns().end())) {
    return columns;
  }
  return Refuse(
      "collect_features is ", spec.collect_features() ? "true" : "false",
      " with columns [", absl::StrJoin(spec.columns(), ","),
      "]; allowed: true alone for x, y and edge_attr; else false and the "
      "columns, ascending, each once");
}

}  // namespace tributary
