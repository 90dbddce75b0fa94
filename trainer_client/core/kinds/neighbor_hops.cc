#include "trainer_client/core/kinds/neighbor_hops.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/proto/session.pb.h"
#include "common/text/status.h"
#include "partition/schema/draw_traits.h"
#include "partition/schema/edge_direction.h"
#include "trainer_client/core/kinds/option_error.h"
#include "trainer_client/core/kinds/session_inputs.h"

namespace tributary {
namespace {

absl::Status CheckMaskNames(const std::vector<EdgeCondition>& conditions) {
  for (const EdgeCondition& condition : conditions) {
    RETURN_IF_ERROR(CheckUtf8("draws.edge_predicates", condition.mask));
  }
  return absl::OkStatus();
}

EdgeDirection DirectionOf(const v1::SessionSpec& spec) {
  return static_cast<EdgeDirection>(NeighborsOf(spec).edge_dir());
}

// A typed graph's edge types without a fanout are not sampled.
bool IsSampled(const GraphSchema& schema, const v1::EdgeTypeFanout& fanout) {
  const auto& hops = fanout.per_hop();
  return !schema.heterogeneous ||
         std::any_of(hops.begin(), hops.end(), [](int k) { return k != 0; });
}

// Adds what the bound must know of one edge type's fanouts: an entry for each
// stored type that they are drawn from.
void AddFanout(const GraphSchema& schema, const v1::SessionSpec& spec,
               const v1::EdgeTypeFanout& fanout, BatchBoundInputs* bound) {
  const int found = schema.FindEdgeType(fanout.edge_type());
  if (found < 0) return;
  const auto drawn = DrawnTypes(schema, found, DirectionOf(spec));
  if (!drawn.ok()) return;  // CheckHopsOnGraph refuses the session
  for (const int stored : *drawn) {
    const EdgeTypeSchema& type = schema.edge_types[stored];
    bound->edge_types.push_back(
        {fanout.edge_type(),
         type.src_type,
         type.dst_type,
         static_cast<uint64_t>(type.num_edges),
         EdgeRowBytes(type, spec),
         {fanout.per_hop().begin(), fanout.per_hop().end()},
         spec.collect_degrees() && IsSampled(schema, fanout) &&
             stored == drawn->front()});
  }
}

}  // namespace

InputTimeMode InputTimesOf(const NeighborOptions& options, bool given) {
  if (given) return InputTimeMode::kGiven;
  const DrawOptions& draws = options.draws;
  const bool own =
      draws.input_time == InputTimeMode::kNone && draws.time != TimeMode::kNone;
  return own ? InputTimeMode::kOwn : draws.input_time;
}

absl::Status CheckHopOptions(const NeighborOptions& options, bool times_given) {
  DrawOptions draws = options.draws;
  draws.input_time = InputTimesOf(options, times_given);
  RETURN_IF_ERROR(CheckDrawOptions(draws, options.replace));
  return CheckSubgraphOptions(options.subgraph, draws);
}

absl::Status CheckHopNames(const NeighborOptions& options) {
  for (const auto& [type, fanouts] : options.num_neighbors.by_edge_type) {
    RETURN_IF_ERROR(CheckUtf8("num_neighbors", type));
  }
  const DrawOptions& draws = options.draws;
  RETURN_IF_ERROR(CheckUtf8("draws.edge_mask", draws.edge_mask));
  RETURN_IF_ERROR(CheckMaskNames(draws.edge_predicates.by_default));
  for (const auto& [type, conditions] : draws.edge_predicates.by_edge_type) {
    RETURN_IF_ERROR(CheckUtf8("draws.edge_predicates", type));
    RETURN_IF_ERROR(CheckMaskNames(conditions));
  }
  return absl::OkStatus();
}

void FillHopOptions(const NeighborOptions& options, bool times_given,
                    SpecOptions* spec) {
  spec->num_neighbors = options.num_neighbors;
  spec->replace = options.replace;
  spec->expand = options.expand_all ? ExpandMode::kAll : ExpandMode::kNew;
  spec->draws = options.draws;
  spec->draws.input_time = InputTimesOf(options, times_given);
  spec->subgraph = options.subgraph;
}

absl::Status CheckHopsOnGraph(const GraphSchema& schema,
                              const v1::SessionSpec& spec) {
  DrawTraits traits;
  std::vector<int> sampled;
  for (const auto& fanout : NeighborsOf(spec).fanouts()) {
    const int found = schema.FindEdgeType(fanout.edge_type());
    if (found < 0 || !IsSampled(schema, fanout)) continue;
    sampled.push_back(found);
    ASSIGN_OR_RETURN(const std::vector<int> drawn,
                     DrawnTypes(schema, found, DirectionOf(spec)));
    for (const int type : drawn) {
      traits.planned.push_back(DrawTraitsOf(schema.edge_types[type]));
      traits.planned.back().name = fanout.edge_type();
    }
  }
  RETURN_IF_ERROR(CheckDrawnOnce(schema, sampled, DirectionOf(spec)));
  const int input = schema.FindNodeType(spec.inputs().node_type());
  traits.input_type = spec.inputs().node_type();
  traits.input_times = input >= 0 && schema.node_types[input].timed;
  return CheckDrawsOn(traits, spec);
}

void AddHopTypes(const v1::SessionSpec& spec, SampledTypes* types) {
  for (const auto& fanout : NeighborsOf(spec).fanouts()) {
    if (!IsSampled(types->schema(), fanout)) continue;
    types->AddEdges(fanout.edge_type(), DirectionOf(spec));
  }
}

BatchBoundInputs HopBoundInputs(const GraphSchema& schema,
                                const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  BatchBoundInputs bound;
  for (const auto& type : schema.node_types) {
    bound.node_types.push_back({type.name,
                                static_cast<uint64_t>(type.num_nodes),
                                NodeRowBytes(type, spec)});
  }
  for (const auto& fanout : neighbor.fanouts()) {
    AddFanout(schema, spec, fanout, &bound);
  }
  bound.num_inputs = InputsOfLargestBatch(spec);
  bound.replace = neighbor.replace();
  bound.across_types = neighbor.draw() == v1::DRAW_ACROSS_TYPES;
  bound.expand_all = neighbor.expand() == v1::EXPAND_ALL;
  bound.disjoint = neighbor.disjoint();
  bound.subgraph = static_cast<SubgraphType>(neighbor.subgraph_type());
  bound.edge_weights = neighbor.draw() == v1::DRAW_LABOR;
  bound.omit_edge_ids = spec.omit_edge_ids();
  return bound;
}

}  // namespace tributary
