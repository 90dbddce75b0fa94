#include "partition/schema/feature_columns.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

size_t FeatureRowBytes(const std::optional<ColumnSchema>& stored,
                       FeatureDType asked) {
  if (!stored.has_value()) return 0;
  return InBatch(*stored, asked).row_bytes() +
         (HasScale(*stored, asked) ? sizeof(float) : 0);
}

size_t CollectedRowBytes(const NodeTypeSchema& type,
                         const CollectedColumns& collect, FeatureDType asked) {
  size_t bytes = 0;
  if (collect.has(CollectedColumn::kX)) bytes += FeatureRowBytes(type.x, asked);
  if (collect.has(CollectedColumn::kY)) {
    bytes += FeatureRowBytes(type.y, FeatureDType::kStored);
  }
  if (collect.has(CollectedColumn::kTime) && type.timed) {
    bytes += sizeof(int64_t);
  }
  return bytes;
}

bool MayLeaveOutRows(const NodeTypeSchema& type,
                     const CollectedColumns& collect, FeatureDType asked) {
  constexpr size_t kLeastBytes = 16;  // twice what a node left out takes
  const bool times = type.timed && collect.has(CollectedColumn::kTime);
  return !times && CollectedRowBytes(type, collect, asked) >= kLeastBytes;
}

absl::Status CheckFeatureDType(const GraphSchema& schema,
                               absl::Span<const int> node_types,
                               absl::Span<const int> edge_types,
                               FeatureDType asked) {
  if (asked == FeatureDType::kStored) return absl::OkStatus();
  std::vector<std::string> columns;
  bool floating = false;
  const auto see = [&](absl::string_view column, absl::string_view type,
                       const std::optional<ColumnSchema>& stored) {
    if (!stored.has_value()) return;
    floating |= IsFloating(stored->value_dtype());
    columns.push_back(absl::StrCat(column, " of ", type, " is ",
                                   std::string(stored->type_name())));
  };
  for (const int type : node_types) {
    see("x", schema.node_types[type].name, schema.node_types[type].x);
  }
  for (const int type : edge_types) {
    see("edge_attr", schema.edge_types[type].name(),
        schema.edge_types[type].edge_attr);
  }
  if (floating) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "feature_dtype: ", std::string(FeatureDTypeName(asked)),
      ", but what is collected has no floating features: ",
      columns.empty() ? "there are none" : absl::StrJoin(columns, ", "),
      "; allowed: stored, or columns of float16, bfloat16, float32, float64"));
}

absl::Status CheckColumnsStored(const GraphSchema& schema,
                                absl::Span<const int> node_types,
                                absl::Span<const int> edge_types,
                                bool seed_times,
                                const CollectedColumns& collect) {
  const auto refuse = [](absl::string_view column, absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "collect: ", column, ", but ", why, "; allowed: without ", column));
  };
  const bool timed = absl::c_any_of(
      node_types, [&](int type) { return schema.node_types[type].timed; });
  if (collect.has(CollectedColumn::kTime) && !timed) {
    return refuse("time", "no node type of the batch has times");
  }
  const bool weighted = absl::c_any_of(
      edge_types, [&](int type) { return schema.edge_types[type].weighted; });
  if (collect.has(CollectedColumn::kWeight) && !weighted) {
    return refuse("weight", "no edge type of the batch has weights");
  }
  if (collect.has(CollectedColumn::kSeedTime) && !seed_times) {
    return refuse("seed_time",
                  "the inputs are not nodes with times (links with times have "
                  "theirs in any case)");
  }
  return absl::OkStatus();
}

}  // namespace tributary
