// Iterates over mini-batches of PPR top-k that servers make: what PPRGo's and
// IBMB's preprocessing makes for a whole graph beforehand.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_PPR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_PPR_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// What is computed; argument names as users know them from PPRGo and PyG's GDC.
struct PprLoaderOptions : CommonLoaderOptions {
  uint32_t top_k = 0;       // nodes of each input, itself among them
  double alpha = 0.15;      // where a walk ends
  double epsilon = 0.0001;  // what a node may keep back, by its degree
  std::string edge_type;    // "src,rel,dst"; empty: the only one
};

class DistPprLoader {
 public:
  // As DistNeighborLoader::Create; the loader differs in its batches alone:
  // `ppr_id` [inputs, top_k] of original ids, the largest score first, -1 where
  // there are fewer; `ppr_index` of the same nodes' places in n_id (and x and
  // y); `ppr_weight` of their scores.
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      const PprLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_PPR_LOADER_H_
