// Whether the arrays that a graph folder holds so that draws are fast say what
// they were made from.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_DERIVED_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_DERIVED_CHECK_H_

#include "absl/status/status.h"
#include "partition/format/graph.h"

namespace tributary {

// Of an edge type: weight_sum against weight; edge_time and neighbor_time are
// in order and their positions a permutation of each row; neighbor_time against
// the sources' times and neighbor_id against their original ids; masks
// hold 0 and 1 alone; degrees against the edges, which takes 8 bytes a source.
// DATA_LOSS says which partition and row, or which node is wrong. Needs all
// partitions open and neighbours in range.
absl::Status CheckDerived(const Graph& graph, int edge_type);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_DERIVED_CHECK_H_
