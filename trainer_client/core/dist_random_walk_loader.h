// Loads mini-batches of random walks that servers make: the counterpart of the
// loaders of PyG's Node2Vec and MetaPath2Vec and of DGL's random_walk.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_RANDOM_WALK_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_RANDOM_WALK_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// Argument names are those of PyG and DGL.
struct RandomWalkLoaderOptions : CommonLoaderOptions {
  uint32_t walk_length = 0;  // steps: a walk has one node more
  uint32_t walks_per_node = 1;
  // The edge types "src,rel,dst" of the steps, repeated as often as needed. A
  // step goes from the type's destination to its source. Empty: the graph's
  // only edge type.
  std::vector<std::string> metapath;
  double restart_prob = 0;  // at each step, before it is taken
  // A restart ends the walk (DGL) instead of returning to its start.
  bool restart_ends = false;
  double p = 1, q = 1;  // node2vec's return and in-out parameters
};

// Makes loaders of random walks.
class DistRandomWalkLoader {
 public:
  // As DistLoader::Create. Batches have `walks` [inputs * walks_per_node,
  // walk_length + 1]: original ids, -1 after a dead end; and `walk_index`: the
  // same nodes' rows of n_id, x and y.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      const RandomWalkLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_RANDOM_WALK_LOADER_H_
