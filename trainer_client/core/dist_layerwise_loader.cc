#include "trainer_client/core/dist_layerwise_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistNeighborLoader>> DistLayerwiseLoader::Create(
    const LayerwiseLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  NeighborLoaderOptions session;
  session.input_split = options.input_split;
  session.input_nodes = options.input_nodes;
  session.input_type = options.input_type;
  session.batch_size = options.batch_size;
  session.shuffle = options.shuffle;
  session.collect_features = options.collect_features;
  session.drop_last = options.drop_last;
  session.random_seed = options.random_seed;
  session.rank = options.rank;
  session.world = options.world;
  session.layerwise =
      LayerwiseOptions{.nodes_per_layer = options.nodes_per_layer,
                       .importance = options.importance,
                       .edge_type = options.edge_type};
  return DistNeighborLoader::Create(session, worker, environment);
}

}  // namespace tributary
