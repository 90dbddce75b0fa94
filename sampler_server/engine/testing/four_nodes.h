// Four nodes in two partitions, small enough to see every induced edge.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FOUR_NODES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FOUR_NODES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// By internal ids; the rows of a partition are its nodes in this order:
//
//   partition  node  in-edges: source (edge id)
//   0          0     2 (0), 1 (1)
//   0          1     0 (4)
//   1          2     0 (2), 3 (3)
//   1          3     0 (6), 2 (5)
//
// Nodes 1 and 2 have the original ids 2 and 1.
inline std::shared_ptr<MemoryGraph> FourNodes() {
  MemoryGraphSpec spec;
  spec.num_partitions = 2;
  spec.node_types = {{.num_nodes = 4, .partition_of = {0, 1, 0, 1}}};
  spec.edge_types.push_back(
      {.edges = {{1, 0}, {2, 0}, {0, 1}, {3, 1}, {0, 2}, {1, 3}, {0, 3}}});
  return MemoryGraph::Make(spec);
}

// The nodes of a batch, by local number: internal ids 2, 0 and 3. Induced are
//
//   number  from numbers (edge ids)  positions in the partition
//   0       1 (2), 2 (3)             0, 1
//   1       0 (0)                    0
//   2       1 (6), 0 (5)             2, 3
inline const std::vector<uint64_t>& ThreeOfFourNodes() {
  static const auto& ids = *new std::vector<uint64_t>{2, 0, 3};
  return ids;
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FOUR_NODES_H_
