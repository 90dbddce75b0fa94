#include "common/session/draw_options.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/proto/session.pb.h"
#include "common/session/limits.h"
#include "common/session/refuse.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckEnumerations(const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  if (!v1::Draw_IsValid(neighbor.draw())) {
    return Refuse("draw: ", static_cast<int>(neighbor.draw()),
                  "; allowed: uniform (0), weighted (1), labor (2), "
                  "across_types (3)");
  }
  if (!v1::TimeColumn_IsValid(neighbor.time())) {
    return Refuse("time: ", static_cast<int>(neighbor.time()),
                  "; allowed: none (0), edge (1), node (2)");
  }
  if (!v1::TemporalStrategy_IsValid(neighbor.temporal_strategy())) {
    return Refuse(
        "temporal_strategy: ", static_cast<int>(neighbor.temporal_strategy()),
        "; allowed: uniform (0), last (1)");
  }
  if (!v1::EdgeDirection_IsValid(neighbor.edge_dir())) {
    return Refuse("edge_dir: ", static_cast<int>(neighbor.edge_dir()),
                  "; allowed: in (0), out (1), both (2)");
  }
  if (v1::InputTime_IsValid(spec.inputs().time())) return absl::OkStatus();
  return Refuse("input_time: ", static_cast<int>(spec.inputs().time()),
                "; allowed: none (0), given (1), own (2)");
}

absl::Status CheckWithoutTime(const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  if (neighbor.temporal_strategy() != v1::TEMPORAL_STRATEGY_UNIFORM) {
    return Refuse(
        "temporal_strategy: last without a time; allowed: with time edge or "
        "node");
  }
  if (neighbor.strict()) {
    return Refuse("strict: without a time; allowed: with time edge or node");
  }
  if (spec.inputs().time() != v1::INPUT_TIME_NONE) {
    return Refuse(
        "input_time: without a time; allowed: with time edge or node");
  }
  return absl::OkStatus();
}

absl::Status CheckWithTime(const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  if (neighbor.draw() == v1::DRAW_WEIGHTED) {
    return Refuse("draw: weighted with a time; allowed: uniform");
  }
  if (!neighbor.disjoint()) {
    return Refuse("disjoint: false with a time; allowed: true");
  }
  if (neighbor.replace() &&
      neighbor.temporal_strategy() == v1::TEMPORAL_STRATEGY_LAST) {
    return Refuse(
        "temporal_strategy: last with replacement; allowed: uniform, or "
        "without replacement");
  }
  if (spec.inputs().time() == v1::INPUT_TIME_OWN && spec.has_link()) {
    return Refuse(
        "input_time: own, which links have not; allowed: a time for "
        "each link");
  }
  if (spec.inputs().time() == v1::INPUT_TIME_GIVEN && !spec.has_link() &&
      spec.batch_size() > kMaxTimedBatchSize) {
    return Refuse("batch_size: ", spec.batch_size(),
                  " with a time for each input; allowed: 1 to ",
                  kMaxTimedBatchSize);
  }
  if (spec.inputs().time() != v1::INPUT_TIME_NONE) return absl::OkStatus();
  return Refuse(
      "input_time: none with a time; allowed: a time for each input, or the "
      "node's own");
}

absl::Status CheckLabor(const v1::NeighborSampling& neighbor) {
  if (neighbor.draw() != v1::DRAW_LABOR) {
    if (!neighbor.layer_dependency()) return absl::OkStatus();
    return Refuse("layer_dependency: without labor; allowed: with draw labor");
  }
  if (neighbor.replace()) {
    return Refuse("draw: labor with replacement; allowed: without");
  }
  if (neighbor.time() != v1::TIME_COLUMN_NONE) {
    return Refuse("draw: labor with a time; allowed: uniform");
  }
  if (!neighbor.disjoint()) return absl::OkStatus();
  return Refuse(
      "draw: labor with disjoint, whose trees share nothing; allowed: without "
      "disjoint");
}

absl::Status RefuseAcrossTypes(absl::string_view with,
                               absl::string_view allowed) {
  return Refuse("draw: across_types with ", with, "; allowed: ", allowed,
                ", or draw uniform");
}

std::string FanoutText(const v1::EdgeTypeFanout& fanout) {
  return absl::StrCat(fanout.edge_type(), "=",
                      absl::StrJoin(fanout.per_hop(), ","));
}

// A total has one list of fanouts, which is repeated for each edge type.
absl::Status CheckOneFanout(const v1::NeighborSampling& neighbor) {
  for (const v1::EdgeTypeFanout& fanout : neighbor.fanouts()) {
    const v1::EdgeTypeFanout& first = neighbor.fanouts(0);
    if (std::equal(fanout.per_hop().begin(), fanout.per_hop().end(),
                   first.per_hop().begin(), first.per_hop().end())) {
      continue;
    }
    return RefuseAcrossTypes(
        absl::StrCat("num_neighbors by edge type (", FanoutText(first), ", ",
                     FanoutText(fanout), ")"),
        "num_neighbors of one list, a total over all edge types");
  }
  return absl::OkStatus();
}

absl::Status CheckAcrossTypes(const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  if (neighbor.draw() != v1::DRAW_ACROSS_TYPES) return absl::OkStatus();
  if (neighbor.time() != v1::TIME_COLUMN_NONE) {
    return RefuseAcrossTypes("a time", "time none");
  }
  if (neighbor.edge_dir() != v1::EDGE_DIRECTION_IN) {
    return RefuseAcrossTypes("edge_dir out or both", "edge_dir in");
  }
  if (neighbor.edge_predicates_size() > 0) {
    return RefuseAcrossTypes("edge_predicate", "no edge_predicate");
  }
  if (!neighbor.edge_mask().empty()) {
    return RefuseAcrossTypes(
        absl::StrCat("edge_mask '", neighbor.edge_mask(), "'"), "no edge_mask");
  }
  if (spec.has_link() && spec.link().enclosing()) {
    return RefuseAcrossTypes("enclosing, which leaves out the links' edges",
                             "links without enclosing");
  }
  if (spec.has_link() && spec.link().exclude() != v1::EXCLUDED_LINKS_NONE) {
    return RefuseAcrossTypes("exclude", "exclude none");
  }
  return CheckOneFanout(neighbor);
}

using EdgeType = DrawTraits::EdgeType;

std::string EdgeTypeNames(const std::vector<EdgeType>& types) {
  return absl::StrJoin(types, " ", [](std::string* out, const EdgeType& type) {
    out->append(type.name);
  });
}

// Checks that at least one planned type has the data.
absl::Status CheckAny(const DrawTraits& graph, bool EdgeType::*has,
                      absl::string_view field, absl::string_view what,
                      absl::string_view otherwise) {
  const auto& planned = graph.planned;
  if (planned.empty() || std::any_of(planned.begin(), planned.end(),
                                     [has](const auto& t) { return t.*has; })) {
    return absl::OkStatus();
  }
  return Refuse(field, ", but no sampled edge type has ", what,
                " (sampled: ", EdgeTypeNames(planned),
                "); allowed: ", otherwise,
                ", or a graph that was partitioned with ", what);
}

absl::Status CheckNeighborIds(const DrawTraits& graph) {
  std::vector<EdgeType> without;
  for (const EdgeType& type : graph.planned) {
    if (!type.neighbor_ids) without.push_back(type);
  }
  if (without.empty()) return absl::OkStatus();
  return Refuse(
      "draw: labor, but ", EdgeTypeNames(without),
      " has no neighbours' original ids; allowed: uniform, or a graph "
      "that was partitioned with neighbor ids");
}

bool IsNamed(const v1::NeighborSampling& neighbor, absl::string_view type) {
  const auto& predicates = neighbor.edge_predicates();
  return std::any_of(
      predicates.begin(), predicates.end(),
      [&](const v1::EdgePredicate& p) { return p.edge_type() == type; });
}

// Checks that at least one of the types without a predicate of their own has
// all columns of the default predicate.
absl::Status CheckDefaultPredicate(const DrawTraits& graph,
                                   const v1::NeighborSampling& neighbor) {
  absl::Status why;
  for (const EdgeType& type : graph.planned) {
    if (IsNamed(neighbor, type.name)) continue;
    ASSIGN_OR_RETURN(const auto conditions,
                     PredicateOf(neighbor, type.name, type.columns));
    if (!conditions.empty()) return absl::OkStatus();
    for (const auto& wanted : neighbor.edge_predicates(0).conditions()) {
      ASSIGN_OR_RETURN(const EdgeCondition condition, ReadCondition(wanted));
      why.Update(CheckCondition(type.name, type.columns, condition));
    }
  }
  return why;
}

absl::Status CheckPredicatesOn(const DrawTraits& graph,
                               const v1::NeighborSampling& neighbor) {
  for (const v1::EdgePredicate& predicate : neighbor.edge_predicates()) {
    const std::string& name = predicate.edge_type();
    if (name.empty()) {
      RETURN_IF_ERROR(CheckDefaultPredicate(graph, neighbor));
      continue;
    }
    const auto type = std::find_if(
        graph.planned.begin(), graph.planned.end(),
        [&](const EdgeType& planned) { return planned.name == name; });
    if (type == graph.planned.end()) {
      return Refuse(
          "edge_predicate: edge type '", name,
          "' is not sampled; allowed: ", EdgeTypeNames(graph.planned));
    }
    RETURN_IF_ERROR(PredicateOf(neighbor, name, type->columns).status());
  }
  return absl::OkStatus();
}

absl::Status CheckMaskOn(const DrawTraits& graph, const std::string& mask) {
  if (mask.empty() || graph.planned.empty()) return absl::OkStatus();
  std::set<std::string> masks;
  for (const EdgeType& type : graph.planned) {
    masks.insert(type.columns.masks.begin(), type.columns.masks.end());
  }
  if (masks.contains(mask)) return absl::OkStatus();
  return Refuse("edge_mask: '", mask, "', which no sampled edge type has ",
                "(sampled: ", EdgeTypeNames(graph.planned), "); allowed: ",
                masks.empty()
                    ? "none, or a graph that was partitioned with masks"
                    : absl::StrJoin(masks, ", "));
}

}  // namespace

const v1::NeighborSampling& NeighborsOf(const v1::SessionSpec& spec) {
  return spec.has_link() ? spec.link().neighbor() : spec.neighbor();
}

void FillDraws(const DrawOptions& options, v1::NeighborSampling* neighbor,
               v1::SessionSpec* spec) {
  neighbor->set_draw(static_cast<v1::Draw>(options.draw));
  neighbor->set_layer_dependency(options.layer_dependency);
  neighbor->set_time(static_cast<v1::TimeColumn>(options.time));
  neighbor->set_temporal_strategy(
      static_cast<v1::TemporalStrategy>(options.temporal_strategy));
  neighbor->set_strict(options.strict);
  neighbor->set_disjoint(options.disjoint || options.time != TimeMode::kNone);
  spec->mutable_inputs()->set_time(
      static_cast<v1::InputTime>(options.input_time));
  FillPredicates(options.edge_predicates, neighbor);
  neighbor->set_edge_mask(options.edge_mask);
  neighbor->set_edge_dir(static_cast<v1::EdgeDirection>(options.edge_dir));
}

absl::Status CheckDraws(const v1::SessionSpec& spec) {
  RETURN_IF_ERROR(CheckEnumerations(spec));
  RETURN_IF_ERROR(CheckPredicates(NeighborsOf(spec)));
  RETURN_IF_ERROR(CheckLabor(NeighborsOf(spec)));
  RETURN_IF_ERROR(CheckAcrossTypes(spec));
  return NeighborsOf(spec).time() == v1::TIME_COLUMN_NONE
             ? CheckWithoutTime(spec)
             : CheckWithTime(spec);
}

absl::Status CheckDrawOptions(const DrawOptions& options, bool replace) {
  v1::SessionSpec spec;
  FillDraws(options, spec.mutable_neighbor(), &spec);
  spec.mutable_neighbor()->set_replace(replace);
  return CheckDraws(spec);
}

absl::Status CheckDrawsOn(const DrawTraits& graph,
                          const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  RETURN_IF_ERROR(CheckPredicatesOn(graph, neighbor));
  RETURN_IF_ERROR(CheckMaskOn(graph, neighbor.edge_mask()));
  if (neighbor.draw() == v1::DRAW_LABOR) return CheckNeighborIds(graph);
  if (neighbor.draw() == v1::DRAW_WEIGHTED) {
    return CheckAny(graph, &EdgeType::weights, "draw: weighted", "weights",
                    "uniform");
  }
  if (neighbor.time() == v1::TIME_COLUMN_NONE) return absl::OkStatus();
  if (spec.inputs().time() == v1::INPUT_TIME_OWN && !graph.input_times) {
    return Refuse("input_time: own, but nodes of type ", graph.input_type,
                  " have no times; allowed: a time for each input");
  }
  if (neighbor.time() == v1::TIME_COLUMN_EDGE) {
    return CheckAny(graph, &EdgeType::edge_times, "time: edge", "edge times",
                    "none, node");
  }
  return CheckAny(graph, &EdgeType::neighbor_times, "time: node", "node times",
                  "none, edge");
}

}  // namespace tributary
