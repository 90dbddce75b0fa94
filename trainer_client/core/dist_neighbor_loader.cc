#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistLoader>> DistNeighborLoader::Create(
    const NeighborLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  const NeighborOptions& neighbors = options;
  return DistLoader::Create(SessionOptions(options, neighbors), worker,
                            environment);
}

}  // namespace tributary
