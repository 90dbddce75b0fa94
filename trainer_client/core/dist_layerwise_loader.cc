#include "trainer_client/core/dist_layerwise_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistLoader>> DistLayerwiseLoader::Create(
    const LayerwiseLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  return DistLoader::Create(
      SessionOptions(
          options, LayerwiseOptions{.nodes_per_layer = options.nodes_per_layer,
                                    .importance = options.importance,
                                    .edge_type = options.edge_type}),
      worker, environment);
}

}  // namespace tributary
