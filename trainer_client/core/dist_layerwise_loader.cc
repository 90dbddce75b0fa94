#include "trainer_client/core/dist_layerwise_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistNeighborLoader>> DistLayerwiseLoader::Create(
    const LayerwiseLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  NeighborLoaderOptions session(options);
  session.layerwise =
      LayerwiseOptions{.nodes_per_layer = options.nodes_per_layer,
                       .importance = options.importance,
                       .edge_type = options.edge_type};
  return DistNeighborLoader::Create(session, worker, environment);
}

}  // namespace tributary
