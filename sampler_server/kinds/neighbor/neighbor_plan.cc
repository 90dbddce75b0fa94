#include "sampler_server/kinds/neighbor/neighbor_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/session/draw_options.h"
#include "common/session/limits.h"
#include "common/session/subgraph_options.h"
#include "common/text/status.h"
#include "partition/schema/draw_traits.h"
#include "partition/schema/edge_direction.h"
#include "sampler_server/engine/plan/spec_error.h"

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
  return SpecError("neighbor.fanouts", "edge type '", name,
                   "'; allowed: ", schema.EdgeTypeNames());
}

// What one edge type draws from.
absl::Status AddDrawn(const GraphSchema& schema, int type,
                      EdgeDirection direction,
                      const std::vector<int32_t>& fanouts, SamplingPlan* plan) {
  const auto drawn = DrawnTypes(schema, type, direction);
  if (!drawn.ok()) return SpecError("neighbor", drawn.status().message());
  const auto leader = static_cast<int>(plan->edge_types.size());
  for (size_t i = 0; i < drawn->size(); ++i) {
    const int stored = (*drawn)[i];
    const EdgeTypeSchema& edge = schema.edge_types[stored];
    PlannedEdgeType planned{stored, edge.src_type, edge.dst_type, edge.name(),
                            fanouts};
    if (stored != type) planned.emitted_as = type;
    if (i > 0) planned.shares_tensors_of = leader;
    plan->edge_types.push_back(std::move(planned));
  }
  return absl::OkStatus();
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
  const auto direction = static_cast<EdgeDirection>(neighbor.edge_dir());
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
    RETURN_IF_ERROR(AddDrawn(schema, type, direction,
                             {per_hop.begin(), per_hop.end()}, plan));
  }
  std::vector<int> emitted;
  for (const PlannedEdgeType& planned : plan->edge_types) {
    if (planned.shares_tensors_of < 0)
      emitted.push_back(planned.emitted_type());
  }
  const absl::Status once = CheckDrawnOnce(schema, emitted, direction);
  return once.ok() ? once : SpecError("neighbor", once.message());
}

// By the name that users know.
DrawTraits::EdgeType TraitsOf(const GraphSchema& schema,
                              const PlannedEdgeType& planned) {
  DrawTraits::EdgeType traits =
      DrawTraitsOf(schema.edge_types[planned.edge_type]);
  traits.name = schema.edge_types[planned.emitted_type()].name();
  return traits;
}

DrawTraits TraitsOf(const GraphSchema& schema, const SamplingPlan& plan) {
  DrawTraits traits;
  for (const PlannedEdgeType& planned : plan.edge_types) {
    traits.planned.push_back(TraitsOf(schema, planned));
  }
  if (plan.input_type >= 0) {
    traits.input_type = schema.node_types[plan.input_type].name;
    traits.input_times = schema.node_types[plan.input_type].timed;
  }
  return traits;
}

// Checks that a total over all edge types is one of all that the graph has.
absl::Status CheckAllTypes(const GraphSchema& schema,
                           const v1::NeighborSampling& neighbor) {
  int visible = 0;
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    visible += schema.IsVisible(static_cast<int>(t)) ? 1 : 0;
  }
  if (neighbor.draw() != v1::DRAW_ACROSS_TYPES ||
      neighbor.fanouts_size() == visible) {
    return absl::OkStatus();
  }
  return SpecError("neighbor.fanouts", neighbor.fanouts_size(),
                   " edge types with draw across_types; allowed: all ", visible,
                   ": ", schema.EdgeTypeNames());
}

// A type that ends alone at its node type draws uniformly: there is nothing to
// share the fanout with.
bool SharesItsFanout(const SamplingPlan& plan, const PlannedEdgeType& type) {
  return std::count_if(plan.edge_types.begin(), plan.edge_types.end(),
                       [&type](const PlannedEdgeType& other) {
                         return other.dst_type == type.dst_type;
                       }) > 1;
}

// Sets how an edge type draws, by weights and times where it has them.
void FillDrawsOf(const EdgeTypeSchema& type,
                 const v1::NeighborSampling& neighbor, const SamplingPlan& plan,
                 PlannedEdgeType* planned) {
  if (neighbor.draw() == v1::DRAW_ACROSS_TYPES &&
      SharesItsFanout(plan, *planned)) {
    planned->draw = DrawMode::kAcrossTypes;
  }
  if (neighbor.draw() == v1::DRAW_LABOR) planned->draw = DrawMode::kLabor;
  if (neighbor.draw() == v1::DRAW_WEIGHTED && type.weighted) {
    planned->draw = DrawMode::kWeighted;
  }
  if (neighbor.time() == v1::TIME_COLUMN_EDGE && type.timed) {
    planned->time = TimeMode::kEdge;
  }
  if (neighbor.time() == v1::TIME_COLUMN_NODE && type.neighbor_timed) {
    planned->time = TimeMode::kNode;
  }
}

// Returns the planned type of the reverse direction: rev_REL of REL, else REL
// of rev_REL, else the type itself if it leads from a node type to itself; -1:
// none.
int ReverseOf(const GraphSchema& schema, const SamplingPlan& plan, size_t t) {
  const EdgeTypeSchema& type = schema.edge_types[plan.edge_types[t].edge_type];
  int found = type.src_type == type.dst_type ? static_cast<int>(t) : -1;
  for (size_t i = 0; i < plan.edge_types.size(); ++i) {
    const EdgeTypeSchema& other =
        schema.edge_types[plan.edge_types[i].edge_type];
    if (other.src_type != type.dst_type || other.dst_type != type.src_type) {
      continue;
    }
    if (other.rel == "rev_" + type.rel) return static_cast<int>(i);
    if (type.rel == "rev_" + other.rel) found = static_cast<int>(i);
  }
  return found;
}

absl::Status FillDrawRules(const GraphSchema& schema,
                           const v1::SessionSpec& spec, SamplingPlan* plan) {
  absl::Status status = CheckDraws(spec);
  if (status.ok()) status = CheckDrawsOn(TraitsOf(schema, *plan), spec);
  if (status.ok()) status = CheckSubgraph(spec);
  if (!status.ok()) return SpecError("neighbor", status.message());
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  RETURN_IF_ERROR(CheckAllTypes(schema, neighbor));
  plan->layer_dependency = neighbor.layer_dependency();
  plan->strict = neighbor.strict();
  plan->latest = neighbor.temporal_strategy() == v1::TEMPORAL_STRATEGY_LAST;
  plan->disjoint = neighbor.disjoint();
  plan->subgraph = {static_cast<SubgraphType>(neighbor.subgraph_type()),
                    neighbor.max_scanned_edges()};
  plan->input_time = static_cast<InputTimeMode>(spec.inputs().time());
  for (size_t t = 0; t < plan->edge_types.size(); ++t) {
    if (plan->subgraph.type != SubgraphType::kBidirectional) break;
    const int mirrors = ReverseOf(schema, *plan, t);
    plan->edge_types[t].mirrors = mirrors;
    plan->edge_types[t].has_rows =
        mirrors < 0 || mirrors == static_cast<int>(t);
  }
  for (PlannedEdgeType& planned : plan->edge_types) {
    const EdgeTypeSchema& type = schema.edge_types[planned.edge_type];
    FillDrawsOf(type, neighbor, *plan, &planned);
    const DrawTraits::EdgeType traits = TraitsOf(schema, planned);
    ASSIGN_OR_RETURN(auto conditions,
                     ConditionsOf(neighbor, traits.name, traits.columns));
    ASSIGN_OR_RETURN(planned.predicate,
                     EdgePredicate::Make(type, std::move(conditions)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanNeighbors(const GraphSchema& schema,
                           const v1::SessionSpec& spec, SamplingPlan* plan) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  if (neighbor.expand() != v1::EXPAND_NEW &&
      neighbor.expand() != v1::EXPAND_ALL) {
    return SpecError("neighbor.expand", static_cast<int>(neighbor.expand()),
                     "; allowed: NEW (1), ALL (2)");
  }
  plan->replace = neighbor.replace();
  plan->expand_all = neighbor.expand() == v1::EXPAND_ALL;
  RETURN_IF_ERROR(FillFanouts(schema, neighbor, plan));
  return FillDrawRules(schema, spec, plan);
}

}  // namespace tributary
