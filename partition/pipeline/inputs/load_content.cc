#include "partition/pipeline/inputs/load_content.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/edge_split_input.h"

namespace tributary {
namespace {

using Rows = std::shared_ptr<const RowSource>;

// Loads columns, each once: edge types and their reverses share them.
class ColumnLoader {
 public:
  absl::StatusOr<Rows> Load(const ColumnPtr& column) {
    if (column == nullptr) return nullptr;
    Rows& loaded = loaded_[column.get()];
    if (loaded != nullptr) return loaded;
    std::vector<uint8_t> bytes(static_cast<size_t>(column->num_rows()) *
                               column->schema().row_bytes());
    RETURN_IF_ERROR(column->Read(0, column->num_rows(), bytes.data()));
    loaded = std::make_shared<StoredRows<uint8_t>>(column->schema(),
                                                   std::move(bytes));
    return loaded;
  }

 private:
  std::map<const Column*, Rows> loaded_;
};

absl::StatusOr<std::vector<int64_t>> LoadEnds(const Column& column,
                                              const NodeSource& nodes) {
  std::vector<int64_t> ids(static_cast<size_t>(column.num_rows()));
  RETURN_IF_ERROR(column.Read(0, column.num_rows(),
                              reinterpret_cast<uint8_t*>(ids.data())));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < nodes.num_nodes) continue;
    return absl::OutOfRangeError(
        absl::StrCat(column.Where(static_cast<int64_t>(i)), ": ", ids[i],
                     " is no node of type ", nodes.name, "; allowed: 0 to ",
                     nodes.num_nodes - 1));
  }
  return ids;
}

absl::StatusOr<NodeContent> LoadNodes(const NodeSource& source,
                                      ColumnLoader& columns) {
  NodeContent nodes;
  nodes.name = source.name;
  nodes.num_nodes = source.num_nodes;
  ASSIGN_OR_RETURN(nodes.x, columns.Load(source.x));
  ASSIGN_OR_RETURN(nodes.y, columns.Load(source.y));
  ASSIGN_OR_RETURN(nodes.time, columns.Load(source.time));
  return nodes;
}

// Loads the edges and the ends of their splits.
absl::StatusOr<EdgeContent> LoadEdges(const EdgeSource& source,
                                      const GraphSource& graph,
                                      ColumnLoader& columns,
                                      std::vector<EdgeSplitInput>& splits) {
  EdgeContent edges;
  edges.src = source.src;
  edges.rel = source.rel;
  edges.dst = source.dst;
  edges.src_type = source.src_type;
  edges.dst_type = source.dst_type;
  edges.reverse = source.reverse;
  if (source.add_reverse) edges.attr_by = EdgeContent::AttrBy::kHalfEdgeId;
  ASSIGN_OR_RETURN(edges.edge_attr, columns.Load(source.edge_attr));
  ASSIGN_OR_RETURN(edges.weight, columns.Load(source.weight));
  ASSIGN_OR_RETURN(edges.time, columns.Load(source.time));
  for (const auto& [name, column] : source.masks) {
    ASSIGN_OR_RETURN(edges.masks[name], columns.Load(column));
  }
  const NodeSource& from = graph.node_types[source.src_type];
  const NodeSource& to = graph.node_types[source.dst_type];
  EdgeRows rows;
  ASSIGN_OR_RETURN(rows.src, LoadEnds(*source.from, from));
  ASSIGN_OR_RETURN(rows.dst, LoadEnds(*source.to, to));
  for (const SplitSource& split : graph.splits) {
    if (split.type != source.name()) continue;
    splits.push_back(
        {split.scheme, split.name, {split.from, split.to}, split.rows});
  }
  FillEndsFromRows(rows, absl::MakeSpan(splits));
  ASSIGN_OR_RETURN(
      edges.in_edges,
      Adjacency::FromRows(
          std::move(rows), from.num_nodes, to.num_nodes,
          {.add_reverse = source.add_reverse, .dedupe = source.dedupe}));
  return edges;
}

}  // namespace

absl::StatusOr<GraphContent> LoadContent(const GraphSource& source) {
  ColumnLoader columns;
  GraphContent content;
  content.name = source.name;
  content.heterogeneous = source.heterogeneous;
  for (const NodeSource& nodes : source.node_types) {
    ASSIGN_OR_RETURN(NodeContent loaded, LoadNodes(nodes, columns));
    content.node_types.push_back(std::move(loaded));
  }
  for (const SplitSource& split : source.splits) {
    if (IsEdgeTypeName(split.type)) continue;
    content.splits.push_back(
        {split.scheme, split.type, split.name, split.nodes});
  }
  for (const EdgeSource& edges : source.edge_types) {
    std::vector<EdgeSplitInput> splits;
    ASSIGN_OR_RETURN(EdgeContent loaded,
                     LoadEdges(edges, source, columns, splits));
    AddEdgeSplits(splits, loaded, content);
    content.edge_types.push_back(std::move(loaded));
  }
  return content;
}

}  // namespace tributary
