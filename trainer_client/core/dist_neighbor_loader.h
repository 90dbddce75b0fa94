// Loads mini-batches of sampled neighbourhoods that servers make: the
// counterpart of PyG's NeighborLoader and GLT's DistNeighborLoader.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// Makes loaders of neighbourhoods:
//
//   NeighborLoaderOptions options;
//   options.input_split = "train";
//   options.num_neighbors = {15, 10, 5};
//   options.batch_size = 1024;
//   RemoteDistSamplingWorkerOptions worker;
//   worker.servers = "file:servers.txt";
//   auto loader = DistNeighborLoader::Create(options, worker, environment);
class DistNeighborLoader {
 public:
  // As DistLoader::Create.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      const NeighborLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_
