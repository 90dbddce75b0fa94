// Loads mini-batches of the top k nodes by personalised PageRank (PPR), which
// servers compute: what PPRGo's and IBMB's preprocessing computes for a whole
// graph beforehand.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_PPR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_PPR_LOADER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {

// Argument names are those of PPRGo and PyG's GDC.
struct PprLoaderOptions : CommonLoaderOptions {
  uint32_t top_k = 0;       // nodes per input, itself included
  double alpha = 0.15;      // the probability that a walk ends at a step
  double epsilon = 0.0001;  // the largest residual of a node, per degree
  std::string edge_type;    // "src,rel,dst"; empty: the graph's only one
};

// Makes loaders of PPR top-k.
class DistPprLoader {
 public:
  // As DistLoader::Create. Batches have `ppr_id` [inputs, top_k]: original ids,
  // the largest score first, -1 where there are fewer; `ppr_index`: the same
  // nodes' rows of n_id, x and y; `ppr_weight`: their scores.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      const PprLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_PPR_LOADER_H_
