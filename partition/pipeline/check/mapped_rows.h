// Rows of an open graph's columns, by original ids.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_MAPPED_ROWS_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_MAPPED_ROWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "partition/writer/adjacency.h"
#include "partition/writer/row_source.h"

namespace tributary {

// Of one node type: internal ids by original id, a permutation.
using InternalIds = std::shared_ptr<const std::vector<int64_t>>;

// All keep the graph open, which has all its partitions.

// The rows of a node column, by original id.
std::shared_ptr<const RowSource> MakeNodeRows(
    ColumnSchema schema, std::shared_ptr<const Graph> graph, int node_type,
    absl::Span<const uint8_t> NodePartition::*column, InternalIds internal);

// Nodes' times, by original id: a copy, 8 bytes a node.
std::shared_ptr<const RowSource> CopyNodeTimes(const Graph& graph,
                                               int node_type);

// The rows of edge columns, by position in the adjacency by original ids that
// the graph's edges make; `internal` is of the destination's type.
class MappedEdgeRows {
 public:
  MappedEdgeRows(std::shared_ptr<const Graph> graph, int edge_type,
                 const Adjacency& in_edges, InternalIds internal);

  std::shared_ptr<const RowSource> Column(
      ColumnSchema schema,
      absl::Span<const uint8_t> EdgePartition::*column) const;
  // The edge type's mask of that number.
  std::shared_ptr<const RowSource> Mask(size_t mask) const;
  // Edges' times: a copy, 8 bytes an edge. Requires what CheckDerived checks.
  std::shared_ptr<const RowSource> CopyTimes() const;

 private:
  std::shared_ptr<const Graph> graph_;
  int edge_type_;
  std::shared_ptr<const std::vector<uint64_t>> indptr_;  // by original id
  InternalIds internal_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_MAPPED_ROWS_H_
