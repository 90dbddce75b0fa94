#include "sampler_server/kinds/layerwise/layerwise_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/random/degree_weight.h"
#include "common/session/kinds/layerwise_spec.h"
#include "common/session/limits.h"
#include "common/text/status.h"
#include "sampler_server/engine/plan/spec_error.h"
#include "sampler_server/kinds/shared/self_edge_type.h"

namespace tributary {
namespace {

// Working memory for rows: so many nodes of twice the average degree, so many
// bytes an edge. A batch that takes more uses memory meant for the batch's
// room, or ends in Needs.
constexpr uint64_t kBytesPerEdge = 48;
constexpr uint64_t kMostTaskBytes = uint64_t{64} << 20;

absl::Status CheckLayers(const v1::LayerwiseSampling& layerwise) {
  const int layers = layerwise.nodes_per_layer_size();
  if (layers < 1 || layers > kMaxHops) {
    return SpecError("layerwise.nodes_per_layer", layers,
                     " layers; allowed: 1 to ", kMaxHops);
  }
  for (const uint32_t nodes : layerwise.nodes_per_layer()) {
    if (nodes >= 1 && nodes <= kMaxNodesOfLayer) continue;
    return SpecError("layerwise.nodes_per_layer", nodes, "; allowed: 1 to ",
                     kMaxNodesOfLayer);
  }
  if (v1::LayerImportance_IsValid(layerwise.importance()) &&
      layerwise.importance() != v1::LAYER_IMPORTANCE_UNSPECIFIED) {
    return absl::OkStatus();
  }
  return SpecError("layerwise.importance",
                   static_cast<int>(layerwise.importance()),
                   "; allowed: LADIES (1), UNIFORM (2), FASTGCN (3)");
}

uint64_t LikelyTaskBytes(const GraphSchema& schema, const SamplingPlan& plan,
                         const LayerwisePlan& part, int edge_type) {
  const auto num_nodes = static_cast<double>(
      std::max<int64_t>(1, schema.node_types[plan.input_type].num_nodes));
  const auto num_edges =
      static_cast<double>(schema.edge_types[edge_type].num_edges);
  auto nodes = static_cast<double>(plan.batch_size);
  for (const uint32_t more : part.nodes_per_layer) nodes += more;
  const double edges = 2 * std::min(nodes, num_nodes) * num_edges / num_nodes;
  return static_cast<uint64_t>(
      std::min<double>(kMostTaskBytes, edges * kBytesPerEdge));
}

}  // namespace

absl::Status LayerwisePlan::Fill(const GraphSchema& schema,
                                 const v1::LayerwiseSampling& layerwise,
                                 SamplingPlan* plan) {
  RETURN_IF_ERROR(CheckLayers(layerwise));
  ASSIGN_OR_RETURN(const int found, FindSelfEdgeType(schema, plan->input_type,
                                                     "layerwise.edge_type",
                                                     layerwise.edge_type()));
  const EdgeTypeSchema& type = schema.edge_types[found];
  auto part = std::make_shared<LayerwisePlan>();
  part->nodes_per_layer.assign(layerwise.nodes_per_layer().begin(),
                               layerwise.nodes_per_layer().end());
  part->importance = static_cast<LayerImportance>(layerwise.importance() - 1);
  const absl::Status fits = CheckImportanceOn(part->importance, type.name(),
                                              type.degrees, type.num_edges);
  if (!fits.ok()) return SpecError("layerwise", fits.message());
  if (part->importance == LayerImportance::kFastGcn) {
    part->degrees = std::make_shared<DegreeTable>(
        static_cast<uint64_t>(schema.node_types[type.src_type].num_nodes),
        static_cast<uint64_t>(type.num_edges), kWholePower);
    plan->shared_bytes = part->degrees->bytes();
  }
  part->weight_name = "edge_weight";
  if (plan->typed_names) {
    part->weight_name += "/" + type.src + "__" + type.rel + "__" + type.dst;
  }
  plan->num_hops = static_cast<int>(part->nodes_per_layer.size());
  PlannedEdgeType planned;
  planned.edge_type = found;
  planned.src_type = planned.dst_type = plan->input_type;
  planned.name = type.name();
  plan->edge_types.push_back(std::move(planned));
  plan->task_bytes = LikelyTaskBytes(schema, *plan, *part, found);
  plan->part = std::move(part);
  return absl::OkStatus();
}

}  // namespace tributary
