#include "trainer_client/core/dist_ppr_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistLoader>> DistPprLoader::Create(
    const PprLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  return DistLoader::Create(
      SessionOptions(options, PprOptions{.top_k = options.top_k,
                                         .alpha = options.alpha,
                                         .epsilon = options.epsilon,
                                         .edge_type = options.edge_type}),
      worker, environment);
}

}  // namespace tributary
