// Loads mini-batches of induced subgraphs that servers make: the counterpart of
// GLT's DistSubGraphLoader and of PyG's and DGL's ShaDowKHopSampler.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_SUBGRAPH_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_SUBGRAPH_LOADER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// Makes loaders of induced subgraphs.
class DistSubGraphLoader {
 public:
  // As DistNeighborLoader::Create with subgraph.type kInduced: batches hold all
  // edges between their nodes. INVALID_ARGUMENT for subgraph.type
  // kBidirectional. GLT's num_neighbors None, the inputs alone, is {0}; all
  // nodes within k hops is -1, k times. With draws.disjoint each input has a
  // subgraph of its own (ShaDow), and `batch` is the input of each node.
  // `seed_index` is PyG's root_n_id, GLT's mapping.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      NeighborLoaderOptions options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_SUBGRAPH_LOADER_H_
