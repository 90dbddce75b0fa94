#include "trainer_client/core/dist_ppr_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistNeighborLoader>> DistPprLoader::Create(
    const PprLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  NeighborLoaderOptions session(options);
  session.ppr = PprOptions{.top_k = options.top_k,
                           .alpha = options.alpha,
                           .epsilon = options.epsilon,
                           .edge_type = options.edge_type};
  return DistNeighborLoader::Create(session, worker, environment);
}

}  // namespace tributary
