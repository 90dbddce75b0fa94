// Iterates over mini-batches of induced subgraphs that servers make: the
// counterpart of GLT's DistSubGraphLoader and of PyG's and DGL's
// ShaDowKHopSampler.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_SUBGRAPH_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_SUBGRAPH_LOADER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

class DistSubGraphLoader {
 public:
  // As DistNeighborLoader::Create; the loader differs in its batches alone,
  // which hold all edges between their nodes, as with subgraph.type kInduced
  // (INVALID_ARGUMENT for another that is not the default). GLT's num_neighbors
  // None, the inputs alone, is {0}; all within k hops is -1, k times. With
  // draws.disjoint each input has a subgraph of its own (ShaDow): `batch` says
  // whose a node is. `seed_index` is PyG's root_n_id, GLT's mapping.
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      NeighborLoaderOptions options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_SUBGRAPH_LOADER_H_
