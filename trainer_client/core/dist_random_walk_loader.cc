#include "trainer_client/core/dist_random_walk_loader.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistLoader>> DistRandomWalkLoader::Create(
    const RandomWalkLoaderOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  return DistLoader::Create(
      SessionOptions(options,
                     WalkOptions{.walk_length = options.walk_length,
                                 .walks_per_node = options.walks_per_node,
                                 .metapath = options.metapath,
                                 .restart_prob = options.restart_prob,
                                 .restart_ends = options.restart_ends,
                                 .p = options.p,
                                 .q = options.q}),
      worker, environment);
}

}  // namespace tributary
