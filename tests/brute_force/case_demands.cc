#include "tests/brute_force/case_demands.h"

#include <algorithm>

namespace tributary {
namespace {

const MemoryGraphSpec::NodeType& NodeTypeOf(const RandomCase& c,
                                            const std::string& name) {
  size_t i = 0;
  while (c.graph.node_types.at(i).name != name) ++i;
  return c.graph.node_types[i];
}

}  // namespace

bool HasColumns(const MemoryGraphSpec::EdgeType& type,
                const std::vector<EdgeCondition>& conditions) {
  for (const EdgeCondition& condition : conditions) {
    const bool has =
        condition.column == EdgeColumn::kWeight     ? !type.weight.empty()
        : condition.column == EdgeColumn::kTime     ? !type.time.empty()
        : condition.column == EdgeColumn::kSelfLoop ? type.src == type.dst
        : condition.column == EdgeColumn::kMask
            ? type.masks.contains(condition.mask)
            : type.has_attr;
    if (!has) return false;
  }
  return true;
}

bool Planned(const RandomCase& c, const MemoryGraphSpec::EdgeType& type) {
  const NumNeighbors& n = c.batch.options.num_neighbors;
  if (type.reverse && !c.graph.heterogeneous) return false;
  const auto named = n.by_edge_type.find(type.name());
  if (type.reverse && named == n.by_edge_type.end() &&
      c.batch.options.draws.edge_dir == EdgeDirection::kBoth) {
    return false;
  }
  const auto& fanouts =
      named == n.by_edge_type.end() ? n.by_default : named->second;
  return !c.graph.heterogeneous ||
         fanouts != std::vector<int32_t>(fanouts.size(), 0);
}

bool HasEdgeTensors(const RandomCase& c) {
  return std::any_of(c.graph.edge_types.begin(), c.graph.edge_types.end(),
                     [&c](const auto& type) { return Planned(c, type); });
}

namespace {

bool HasWhatItsPredicatesAskFor(const RandomCase& c) {
  const auto& [by_default, own] = c.batch.options.draws.edge_predicates;
  size_t owners = 0;
  bool any = by_default.empty(), none = true;
  for (const auto& type : c.graph.edge_types) {
    if (!Planned(c, type)) continue;
    const auto entry = own.find(type.name());
    if (entry == own.end()) {
      none = false;
      any |= HasColumns(type, by_default);
      continue;
    }
    ++owners;
    if (!HasColumns(type, entry->second)) return false;
  }
  return owners == own.size() && (any || none);
}

bool HasItsMask(const RandomCase& c) {
  const std::string& mask = c.batch.options.draws.edge_mask;
  bool any = mask.empty(), none = true;
  for (const auto& type : c.graph.edge_types) {
    if (!Planned(c, type)) continue;
    none = false;
    any |= type.masks.contains(mask);
  }
  return any || none;
}

}  // namespace

bool HasItsColumns(const RandomCase& c) {
  const SpecOptions& options = c.batch.options;
  bool timed = !NodeTypeOf(c, options.input_type).time.empty();
  bool weighted = false;
  for (const auto& type : c.graph.edge_types) {
    if (!Planned(c, type)) continue;
    timed |= !NodeTypeOf(c, type.src).time.empty();
    timed |= !NodeTypeOf(c, type.dst).time.empty();
    // Other bidirectional edges may have no columns.
    weighted |= !type.weight.empty() &&
                options.subgraph.type != SubgraphType::kBidirectional;
  }
  const bool inputs_timed = options.draws.time != TimeMode::kNone;
  return (timed || !options.collect.has(CollectedColumn::kTime)) &&
         (weighted || !options.collect.has(CollectedColumn::kWeight)) &&
         (inputs_timed || !options.collect.has(CollectedColumn::kSeedTime));
}

bool HasWhatItDrawsBy(const RandomCase& c) {
  const SpecOptions& options = c.batch.options;
  if (options.feature_dtype != FeatureDType::kStored &&
      (!options.collect.has(CollectedColumn::kX) ||
       NodeTypeOf(c, options.input_type).x_dim == 0)) {
    return false;
  }
  const bool edges = options.collect_degrees || options.omit_edge_ids;
  if (edges && !HasEdgeTensors(c)) return false;
  if (!HasItsColumns(c)) return false;
  if (!HasWhatItsPredicatesAskFor(c) || !HasItsMask(c)) return false;
  const DrawOptions& draws = c.batch.options.draws;
  if (draws.input_time == InputTimeMode::kOwn &&
      NodeTypeOf(c, c.batch.options.input_type).time.empty()) {
    return false;
  }
  const auto has = [&](const MemoryGraphSpec::EdgeType& type) {
    if (draws.draw == DrawMode::kWeighted) return !type.weight.empty();
    if (draws.time == TimeMode::kEdge) return !type.time.empty();
    if (draws.time == TimeMode::kNone) return true;
    return (draws.edge_dir != EdgeDirection::kOut &&
            !NodeTypeOf(c, type.src).time.empty()) ||
           (draws.edge_dir != EdgeDirection::kIn &&
            !NodeTypeOf(c, type.dst).time.empty());
  };
  // Without a planned type nothing is required.
  bool any = false, none = true;
  for (const auto& type : c.graph.edge_types) {
    if (!Planned(c, type)) continue;
    none = false;
    any |= has(type);
  }
  return any || none;
}

}  // namespace tributary
