#include "trainer_client/torch/inference/layer_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Whether any of the first `hops` fanouts of a relation is not 0. Layer l of L
// reads the edges of the hops before L - l.
bool IsRead(const NumNeighbors& fanouts, const std::string& relation,
            size_t hops) {
  const auto it = fanouts.by_edge_type.find(relation);
  const std::vector<int32_t>& of_relation =
      it == fanouts.by_edge_type.end() ? fanouts.by_default : it->second;
  const auto end = of_relation.begin() + std::min(hops, of_relation.size());
  return std::any_of(of_relation.begin(), end,
                     [](int32_t fanout) { return fanout != 0; });
}

absl::Status CheckTarget(const TypeTable& types,
                         const std::vector<bool>& has_rows, size_t target) {
  if (has_rows[target]) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the model computes no rows for the type ", types.node_types[target],
      ", into which no edge type leads; allowed: a graph partitioned with "
      "--add-reverse, or --model rgcn"));
}

}  // namespace

NumNeighbors LayerPlan::FanoutsOf(const TypeTable& types, size_t layer) const {
  const std::vector<bool>& read = layers.at(layer).read;
  NumNeighbors fanouts = {-1};
  for (size_t r = 0; r < read.size(); ++r) {
    if (!read[r]) fanouts.by_edge_type[types.relations[r].name] = {0};
  }
  return fanouts;
}

absl::StatusOr<LayerPlan> PlanLayers(
    const TypeTable& types, const std::vector<std::vector<bool>>& has_rows,
    const NumNeighbors& fanouts, const std::vector<size_t>& targets) {
  const size_t num_layers = has_rows.size() - 1;
  LayerPlan plan;
  plan.layers.resize(num_layers);
  std::vector<bool> needed(types.node_types.size(), false);
  for (const size_t target : targets) {
    if (absl::Status s = CheckTarget(types, has_rows.back(), target); !s.ok()) {
      return s;
    }
    needed[target] = true;
  }
  for (size_t l = num_layers; l-- > 0;) {
    PlannedLayer& layer = plan.layers[l];
    layer.computed = needed;
    for (const TypeTable::Relation& r : types.relations) {
      layer.read.push_back(IsRead(fanouts, r.name, num_layers - l));
      if (layer.read.back() && layer.computed[r.dst_type]) {
        needed[r.src_type] = true;
      }
    }
    for (size_t t = 0; t < needed.size(); ++t) {
      needed[t] = needed[t] && has_rows[l][t];
    }
  }
  return plan;
}

}  // namespace tributary
