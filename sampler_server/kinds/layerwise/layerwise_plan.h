// The plan of a session of layer-wise sampling.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/proto/session.pb.h"
#include "common/session/kinds/layerwise_spec.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/kinds/shared/degree_table.h"

namespace tributary {

// Immutable once filled, except for the degree table.
class LayerwisePlan final : public KindPlan {
 public:
  // Does what SamplingKind::Plan requires.
  static absl::Status Fill(const GraphSchema& schema,
                           const v1::LayerwiseSampling& layerwise,
                           SamplingPlan* plan);
  // Returns the layer-wise part of a plan that Fill has filled.
  static const LayerwisePlan& Of(const SamplingPlan& plan) {
    return static_cast<const LayerwisePlan&>(*plan.part);
  }

  std::vector<uint32_t> nodes_per_layer;
  LayerImportance importance = LayerImportance::kLadies;
  // FastGCN: the out-degrees, which the first batches sum up. Else null.
  std::shared_ptr<DegreeTable> degrees;
  std::string weight_name;  // of edge_weight, with its suffix
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_PLAN_H_
