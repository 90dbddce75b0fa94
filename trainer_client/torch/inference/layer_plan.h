// The plan of layer-wise inference: which types are computed in which layer,
// from which edges.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LAYER_PLAN_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LAYER_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/session/spec_builder.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"

namespace tributary {

// One layer, from 0. All its vectors are in the order of TypeTable.
struct PlannedLayer {
  std::vector<bool> computed;  // by node type: rows of all its nodes are needed
  std::vector<bool> read;      // by relation: its edges are read, all of them
};

struct LayerPlan {
  std::vector<PlannedLayer> layers;

  // Returns the fanouts of one hop that samples all edges that a layer reads.
  NumNeighbors FanoutsOf(const TypeTable& types, size_t layer) const;
};

// Plans the layers whose last one computes the types of `targets`.
// `has_rows[l]`, by node type: layer l has rows of the type to read; the last
// entry is that of the output. `fanouts` are those that the model is evaluated
// with: a relation with fanout 0 in the hops of a layer is not read there, any
// other is read whole. INVALID_ARGUMENT, naming the type, for a target without
// rows.
absl::StatusOr<LayerPlan> PlanLayers(
    const TypeTable& types, const std::vector<std::vector<bool>>& has_rows,
    const NumNeighbors& fanouts, const std::vector<size_t>& targets);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LAYER_PLAN_H_
