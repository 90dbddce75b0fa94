// Checks the arrays of a graph folder that are derived from others to make
// draws fast.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_DERIVED_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_DERIVED_CHECK_H_

#include "absl/status/status.h"
#include "partition/format/graph.h"

namespace tributary {

// Checks one edge type: weight_sum against weight; that edge_time and
// neighbor_time are in order and their positions are a permutation of each row;
// neighbor_time against the sources' times, and neighbor_id against their
// original ids; that masks hold only 0 and 1; and degrees against the edges,
// which takes 8 bytes per source. DATA_LOSS says which partition and row, or
// which node, is wrong. Requires that all partitions are open and neighbours
// are in range.
absl::Status CheckDerived(const Graph& graph, int edge_type);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_DERIVED_CHECK_H_
