// The schema of a graph's types, whether its columns are in memory or not.
#ifndef TRIBUTARY_PARTITION_WRITER_TYPES_SCHEMA_H_
#define TRIBUTARY_PARTITION_WRITER_TYPES_SCHEMA_H_

#include <optional>
#include <utility>

#include "common/random/hop_key.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns the schema of a column that is pointed to, of any kind; none if the
// pointer is null.
template <typename ColumnPointer>
std::optional<ColumnSchema> SchemaOfColumn(const ColumnPointer& column) {
  if (column == nullptr) return std::nullopt;
  return column->schema();
}

// Returns the schema of a GraphContent or a GraphSource without splits and
// without all that partitioning decides; num_edges(type) are the edges of an
// edge type.
template <typename Graph, typename NumEdges>
GraphSchema SchemaOfTypes(const Graph& graph, NumEdges num_edges) {
  GraphSchema schema;
  schema.name = graph.name;
  schema.semantics_version = kSemanticsVersion;
  schema.heterogeneous = graph.heterogeneous;
  for (const auto& nodes : graph.node_types) {
    schema.node_types.push_back({.name = nodes.name,
                                 .num_nodes = nodes.num_nodes,
                                 .x = SchemaOfColumn(nodes.x),
                                 .y = SchemaOfColumn(nodes.y),
                                 .timed = nodes.time != nullptr});
  }
  for (const auto& edges : graph.edge_types) {
    EdgeTypeSchema type{.src = edges.src,
                        .rel = edges.rel,
                        .dst = edges.dst,
                        .src_type = edges.src_type,
                        .dst_type = edges.dst_type,
                        .num_edges = num_edges(edges),
                        .edge_attr = SchemaOfColumn(edges.edge_attr)};
    type.reverse = edges.reverse;
    type.weighted = edges.weight != nullptr;
    if (type.weighted) type.weight_dtype = edges.weight->schema().dtype;
    type.timed = edges.time != nullptr;
    for (const auto& [name, column] : edges.masks) type.masks.push_back(name);
    type.neighbor_timed = graph.node_types[edges.src_type].time != nullptr;
    schema.edge_types.push_back(std::move(type));
  }
  return schema;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_TYPES_SCHEMA_H_
