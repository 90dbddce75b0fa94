// Iterates over mini-batches of random walks that servers make: the counterpart
// of the loaders of PyG's Node2Vec and MetaPath2Vec and of DGL's random_walk.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_RANDOM_WALK_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_RANDOM_WALK_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// What is walked; argument names as users know them from PyG and DGL.
struct RandomWalkLoaderOptions : CommonLoaderOptions {
  uint32_t walk_length = 0;  // steps: a walk has one node more
  uint32_t walks_per_node = 1;
  // Edge types "src,rel,dst" of the steps, over and over: each leads from its
  // destination to its source. Empty: the only edge type.
  std::vector<std::string> metapath;
  double restart_prob = 0;    // before each step
  bool restart_ends = false;  // end the walk, as DGL, not go back to its start
  double p = 1, q = 1;        // node2vec's return and in-out parameters
};

class DistRandomWalkLoader {
 public:
  // As DistNeighborLoader::Create; the loader differs in its batches alone:
  // `walks` [inputs * walks_per_node, walk_length + 1] of original ids, -1
  // behind a dead end, `walk_index` of the same nodes' places in n_id (and x
  // and y).
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      const RandomWalkLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_RANDOM_WALK_LOADER_H_
