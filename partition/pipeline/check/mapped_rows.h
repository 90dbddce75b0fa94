// Reads rows of an open graph's columns by original ids.
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

// The internal ids of one node type by original id: a permutation.
using InternalIds = std::shared_ptr<const std::vector<int64_t>>;

// All results keep the graph open. It must have been opened with all
// partitions.

// Returns the rows of a node column, by original id.
std::shared_ptr<const RowSource> MakeNodeRows(
    ColumnSchema schema, std::shared_ptr<const Graph> graph, int node_type,
    absl::Span<const uint8_t> NodePartition::*column, InternalIds internal);

// Returns a copy of nodes' times, by original id, which takes 8 bytes per node.
std::shared_ptr<const RowSource> CopyNodeTimes(const Graph& graph,
                                               int node_type);

// Makes row sources of edge columns by position in `in_edges`, the adjacency by
// original ids made from the graph's edges. `internal` is that of the
// destination's type.
class MappedEdgeRows {
 public:
  MappedEdgeRows(std::shared_ptr<const Graph> graph, int edge_type,
                 const Adjacency& in_edges, InternalIds internal);

  // Returns the rows of a column.
  std::shared_ptr<const RowSource> Column(
      ColumnSchema schema,
      absl::Span<const uint8_t> EdgePartition::*column) const;
  // Returns the rows of the edge type's mask of this number.
  std::shared_ptr<const RowSource> Mask(size_t mask) const;
  // Returns a copy of edges' times, which takes 8 bytes per edge. Requires that
  // CheckDerived has passed.
  std::shared_ptr<const RowSource> CopyTimes() const;

 private:
  std::shared_ptr<const Graph> graph_;
  int edge_type_;
  std::shared_ptr<const std::vector<uint64_t>> indptr_;  // by original id
  InternalIds internal_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_MAPPED_ROWS_H_
