// Iterates over mini-batches of layer-wise samples that servers make: the
// counterpart of the LadiesSampler of DGL's example.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LAYERWISE_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LAYERWISE_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// What is drawn; argument names as users know them from DGL's example.
struct LayerwiseLoaderOptions : CommonLoaderOptions {
  // Nodes that a layer draws, the layer next to the inputs first (DGL lists
  // them outermost first).
  std::vector<uint32_t> nodes_per_layer;
  // DGL's importance_sampling: kLadies where it is true, else kUniform;
  // kFastGcn wants a graph with degrees.
  LayerImportance importance = LayerImportance::kLadies;
  std::string edge_type;  // "src,rel,dst"; empty: the only one
};

class DistLayerwiseLoader {
 public:
  // As DistNeighborLoader::Create; batches are as those of neighbours with
  // expand_all, with `edge_weight` [edges]: importance weights, those of the
  // edges that lead to one node in one layer together 1.
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      const LayerwiseLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LAYERWISE_LOADER_H_
