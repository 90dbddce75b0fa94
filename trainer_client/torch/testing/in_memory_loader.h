// A DistLoader without servers, for tests of training: a naive sampler
// over a small graph.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_IN_MEMORY_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_IN_MEMORY_LOADER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/hash/sha256.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// A homogeneous graph in memory.
struct InMemoryGraph {
  int64_t num_nodes = 0;
  int64_t num_features = 0;
  std::vector<std::pair<int64_t, int64_t>> edges;  // source, destination
  std::vector<float> x;                            // [num_nodes, num_features]
  std::vector<int64_t> y;                          // [num_nodes]
  // [num_nodes, label_columns], in place of y; empty: none
  std::vector<float> float_y;
  int64_t label_columns = 1;
  std::map<std::string, std::vector<int64_t>> splits;
  Sha256Digest content_digest{};  // copied to its schema as it is
};

// Returns a graph of `communities` groups of `size` nodes. A node's label is
// its group; its feature row is noise, plus 1 in the group's column. Most edges
// stay within a group. Splits train, valid and test hold the nodes with id % 3
// == 0, 1, 2.
InMemoryGraph CommunityGraph(int64_t communities, int64_t size, uint64_t seed);

// Indices of batches that fail; -1: none.
struct InMemoryLoaderFaults {
  int64_t fail_at = -1;  // Next() returns an error
  int64_t hang_at = -1;  // Next() waits for Cancel()
  uint64_t epoch = 0;    // faults occur in this epoch only
};

// Returns a loader whose batches depend on (graph, options without rank and
// world, epoch, index) alone; the draws are not those of docs/sampling.md.
// NOT_FOUND for a split that the graph does not have.
absl::StatusOr<std::unique_ptr<DistLoader>> MakeInMemoryLoader(
    std::shared_ptr<const InMemoryGraph> graph,
    const NeighborLoaderOptions& options, InMemoryLoaderFaults faults = {});

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_IN_MEMORY_LOADER_H_
