#include "trainer_client/core/dist_subgraph_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistLoader>> DistSubGraphLoader::Create(
    NeighborLoaderOptions options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  if (options.subgraph.type == SubgraphType::kBidirectional) {
    return absl::InvalidArgumentError(
        "subgraph.type is bidirectional; allowed in a "
        "DistSubGraphLoader: induced");
  }
  options.subgraph.type = SubgraphType::kInduced;
  return DistNeighborLoader::Create(options, worker, environment);
}

}  // namespace tributary
