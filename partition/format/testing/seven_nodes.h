// The example graph of docs/sampling.md, with seven nodes.
#ifndef TRIBUTARY_PARTITION_FORMAT_TESTING_SEVEN_NODES_H_
#define TRIBUTARY_PARTITION_FORMAT_TESTING_SEVEN_NODES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace tributary {

// Returns edge i as {source, destination}. Edge 8 is a self loop, 1 and 4 are
// parallel, no edge leads to nodes 4 and 6, and none from 6.
inline std::vector<std::pair<int64_t, int64_t>> SevenNodesEdges() {
  return {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 0}, {0, 1},
          {3, 1}, {5, 2}, {5, 5}, {4, 3}, {0, 3}, {1, 3}};
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_TESTING_SEVEN_NODES_H_
