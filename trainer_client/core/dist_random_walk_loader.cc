#include "trainer_client/core/dist_random_walk_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistNeighborLoader>>
DistRandomWalkLoader::Create(const RandomWalkLoaderOptions& options,
                             const RemoteDistSamplingWorkerOptions& worker,
                             const LoaderEnvironment& environment) {
  NeighborLoaderOptions session;
  session.input_split = options.input_split;
  session.input_nodes = options.input_nodes;
  session.input_mask = options.input_mask;
  session.all_nodes = options.all_nodes;
  session.input_type = options.input_type;
  session.batch_size = options.batch_size;
  session.shuffle = options.shuffle;
  session.input_weight = options.input_weight;
  session.collect_features = options.collect_features;
  session.drop_last = options.drop_last;
  session.random_seed = options.random_seed;
  session.rank = options.rank;
  session.world = options.world;
  session.walk = WalkOptions{.walk_length = options.walk_length,
                             .walks_per_node = options.walks_per_node,
                             .metapath = options.metapath,
                             .restart_prob = options.restart_prob,
                             .restart_ends = options.restart_ends,
                             .p = options.p,
                             .q = options.q};
  return DistNeighborLoader::Create(session, worker, environment);
}

}  // namespace tributary
