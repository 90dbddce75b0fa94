// Loads mini-batches of layer-wise samples that servers make: the counterpart
// of the LadiesSampler of DGL's example.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LAYERWISE_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LAYERWISE_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// Argument names are those of DGL's example.
struct LayerwiseLoaderOptions : CommonLoaderOptions {
  // The number of nodes that each layer samples, the layer next to the inputs
  // first (DGL lists the outermost first).
  std::vector<uint32_t> nodes_per_layer;
  // DGL's importance_sampling: true is kLadies, false is kUniform. kFastGcn
  // requires a graph with degrees.
  LayerImportance importance = LayerImportance::kLadies;
  std::string edge_type;  // "src,rel,dst"; empty: the graph's only one
};

// Makes loaders of layer-wise samples.
class DistLayerwiseLoader {
 public:
  // As DistLoader::Create. Batches are those of neighbours with expand_all, and
  // have `edge_weight` [edges]: importance weights, whose sum over the edges
  // that lead to one node in one layer is 1.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      const LayerwiseLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LAYERWISE_LOADER_H_
