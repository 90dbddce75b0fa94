#include "sampler_server/kinds/neighbor/neighbor_plan.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "common/session/limits.h"
#include "common/status.h"
#include "sampler_server/engine/spec_error.h"

namespace tributary {
namespace {

absl::Status CheckHops(const v1::EdgeTypeFanout& entry, int num_hops) {
  if (entry.per_hop_size() != num_hops) {
    return SpecError("neighbor.fanouts", entry.edge_type(), " has ",
                     entry.per_hop_size(), " hops, the first type ", num_hops,
                     "; allowed: one length for all");
  }
  for (int32_t fanout : entry.per_hop()) {
    if (fanout >= -1 && fanout <= kMaxFanout) continue;
    return SpecError("neighbor.fanouts", entry.edge_type(), " has ", fanout,
                     "; allowed: -1 (all) to ", kMaxFanout);
  }
  return absl::OkStatus();
}

absl::StatusOr<int> FindEdgeType(const GraphSchema& schema,
                                 const std::string& name) {
  const int found = schema.FindEdgeType(name);
  if (found >= 0) return found;
  return SpecError("neighbor.fanouts", "edge type '", name, "'; allowed: ",
                   absl::StrJoin(schema.edge_types, " ",
                                 [](std::string* out, const EdgeTypeSchema& t) {
                                   out->append(t.name());
                                 }));
}

absl::Status FillFanouts(const GraphSchema& schema,
                         const v1::NeighborSampling& neighbor,
                         SamplingPlan* plan) {
  if (neighbor.fanouts_size() == 0) {
    return SpecError("neighbor.fanouts",
                     "empty; allowed: one or more edge types");
  }
  plan->num_hops = neighbor.fanouts(0).per_hop_size();
  if (plan->num_hops < 1 || plan->num_hops > kMaxHops) {
    return SpecError("neighbor.fanouts", plan->num_hops,
                     " hops; allowed: 1 to ", kMaxHops);
  }
  int last = -1;
  for (const v1::EdgeTypeFanout& entry : neighbor.fanouts()) {
    ASSIGN_OR_RETURN(const int type, FindEdgeType(schema, entry.edge_type()));
    if (type <= last) {
      return SpecError("neighbor.fanouts", "edge type ", entry.edge_type(),
                       " is out of canonical order or named twice");
    }
    last = type;
    RETURN_IF_ERROR(CheckHops(entry, plan->num_hops));
    const auto& per_hop = entry.per_hop();
    // A homogeneous batch always has its edge tensors, as PyG's has.
    if (schema.heterogeneous && std::all_of(per_hop.begin(), per_hop.end(),
                                            [](int32_t k) { return k == 0; })) {
      continue;
    }
    const EdgeTypeSchema& edge = schema.edge_types[type];
    plan->edge_types.push_back({type,
                                edge.src_type,
                                edge.dst_type,
                                edge.name(),
                                {per_hop.begin(), per_hop.end()}});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanNeighbors(const GraphSchema& schema,
                           const v1::NeighborSampling& neighbor,
                           SamplingPlan* plan) {
  if (neighbor.expand() != v1::EXPAND_NEW &&
      neighbor.expand() != v1::EXPAND_ALL) {
    return SpecError("neighbor.expand", static_cast<int>(neighbor.expand()),
                     "; allowed: NEW (1), ALL (2)");
  }
  plan->replace = neighbor.replace();
  plan->expand_all = neighbor.expand() == v1::EXPAND_ALL;
  return FillFanouts(schema, neighbor, plan);
}

}  // namespace tributary
