// Small random graphs with the difficult cases: parallel edges, self loops,
// isolated nodes, empty partitions, more partitions than nodes.
#ifndef TRIBUTARY_PARTITION_FORMAT_TESTING_RANDOM_GRAPH_H_
#define TRIBUTARY_PARTITION_FORMAT_TESTING_RANDOM_GRAPH_H_

#include <cstdint>

#include "partition/format/testing/graph_builder.h"

namespace tributary {

// Returns a graph that depends on the seed only: 1 to 12 nodes, up to 60 edges,
// 1 to 8 partitions with nodes placed at random, a split, and x [N, 3], y and
// edge_attr [E, 2] whose rows differ. The seed's bits add: reverse edges and
// float32 weights (1), dedupe (2), weights (4), edge times (8), node times and
// neighbours' ids (16).
GraphSpec RandomGraph(uint32_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_TESTING_RANDOM_GRAPH_H_
