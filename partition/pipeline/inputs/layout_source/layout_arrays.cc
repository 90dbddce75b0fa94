#include "partition/pipeline/inputs/layout_source/layout_arrays.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/pipeline/inputs/arrays/scatter_rows.h"
#include "partition/pipeline/inputs/arrays/value_columns.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

// Opens the arrays of `place`, if it has any and `to` is not set yet, as
// `as(column, what)` makes them.
template <typename As>
absl::Status Open(const GraphLayout& layout, const ColumnPlace& place, As as,
                  ColumnPtr& to) {
  if (to != nullptr || place.arrays.empty()) return absl::OkStatus();
  const auto paths = ArrayPaths(layout, place);
  ASSIGN_OR_RETURN(ColumnPtr column, OpenArrays(paths));
  ASSIGN_OR_RETURN(to, as(std::move(column), paths[0]));
  return absl::OkStatus();
}

absl::StatusOr<ColumnPtr> Features(ColumnPtr column, const std::string&) {
  return AsFeatures(std::move(column));
}

absl::StatusOr<ColumnPtr> Labels(ColumnPtr column, const std::string&) {
  return AsLabels(std::move(column));
}

absl::Status CheckRows(const ColumnPtr& column, int64_t rows,
                       const std::string& edges) {
  if (column == nullptr || column->num_rows() == rows) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(column->Where(0), " begins a column of ", column->num_rows(),
                   " rows, but ", rows, " edges are of ", edges));
}

}  // namespace

std::vector<std::string> ArrayPaths(const GraphLayout& layout,
                                    const ColumnPlace& place) {
  std::vector<std::string> paths;
  for (const std::string& array : place.arrays) {
    paths.push_back(layout.Path(array));
  }
  return paths;
}

absl::StatusOr<ColumnPtr> OpenIds(const GraphLayout& layout,
                                  const ColumnPlace& place) {
  const auto paths = ArrayPaths(layout, place);
  ASSIGN_OR_RETURN(ColumnPtr column, OpenArrays(paths));
  return AsInt64(std::move(column), paths[0]);
}

absl::Status OpenNodeColumns(const LayoutState& state, NodeState& nodes) {
  nodes.source.x = nodes.table.features;
  nodes.source.y = nodes.table.labels;
  nodes.source.time = nodes.table.time;
  RETURN_IF_ERROR(
      Open(state.layout, nodes.layout.features, Features, nodes.source.x));
  RETURN_IF_ERROR(
      Open(state.layout, nodes.layout.labels, Labels, nodes.source.y));
  return Open(state.layout, nodes.layout.time, AsTimes, nodes.source.time);
}

absl::Status OrderNodeColumns(const LayoutState& state, size_t type,
                              NodeState& nodes) {
  const bool by_row =
      !nodes.dictionary.has_value() || nodes.dictionary->identity;
  for (const auto& [column, name] :
       {std::pair(&nodes.source.x, "x"), std::pair(&nodes.source.y, "y"),
        std::pair(&nodes.source.time, "time")}) {
    if (*column == nullptr) continue;
    if (nodes.node_of_row == nullptr) {
      if (by_row) continue;
      return absl::InvalidArgumentError(
          absl::StrCat((*column)->Where(0),
                       ": nothing tells which row is which ", nodes.layout.name,
                       ", whose ids are no numbers 0 to N - 1; allowed: a "
                       "table of nodes with the ids in the order of the rows"));
    }
    ASSIGN_OR_RETURN(*column, ScatterRows(**column, *nodes.node_of_row, "node",
                                          state.memory, state.spool,
                                          absl::StrCat("nodes", type, "-", name,
                                                       "-ordered")));
  }
  return absl::OkStatus();
}

absl::Status OpenEdgeColumns(const LayoutState& state, EdgeState& edges) {
  const GraphLayout& layout = state.layout;
  EdgeSource& source = edges.source;
  source.edge_attr = edges.table.features;
  source.weight = edges.table.weight;
  source.time = edges.table.time;
  source.masks = edges.table.masks;
  RETURN_IF_ERROR(
      Open(layout, edges.layout.features, Features, source.edge_attr));
  RETURN_IF_ERROR(Open(layout, edges.layout.weight, AsWeights, source.weight));
  RETURN_IF_ERROR(Open(layout, edges.layout.time, AsTimes, source.time));
  for (const auto& [name, place] : edges.layout.masks) {
    RETURN_IF_ERROR(Open(layout, place, AsMask, source.masks[name]));
  }
  const int64_t rows = source.num_rows();
  for (const ColumnPtr& column :
       {source.edge_attr, source.weight, source.time}) {
    RETURN_IF_ERROR(CheckRows(column, rows, edges.layout.name()));
  }
  for (const auto& [name, column] : source.masks) {
    RETURN_IF_ERROR(CheckRows(column, rows, edges.layout.name()));
  }
  return absl::OkStatus();
}

}  // namespace tributary
