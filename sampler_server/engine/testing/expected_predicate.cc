#include "sampler_server/engine/testing/expected_predicate.h"

#include <vector>

#include "common/tensor/testing/defined_features.h"

namespace tributary {
namespace {

using EdgeType = MemoryGraphSpec::EdgeType;

// The attribute of an edge, as it is stored.
double AttributeOf(const EdgeType& type, size_t e) {
  const float number = 2.0f * static_cast<float>(e);
  return type.scaled ? DefineScaledNumbers({number}, 1)[0] : number;
}

bool IsMet(const EdgeType& type, size_t e, const EdgeCondition& condition) {
  const auto compare = [&](auto value, auto constant) {
    switch (condition.comparison) {
      case Comparison::kLess:
        return value < constant;
      case Comparison::kLessOrEqual:
        return value <= constant;
      case Comparison::kEqual:
        return value == constant;
      case Comparison::kNotEqual:
        return value != constant;
      case Comparison::kGreaterOrEqual:
        return value >= constant;
      default:
        return value > constant;
    }
  };
  if (condition.column == EdgeColumn::kSelfLoop) {
    const auto& [u, v] = type.edges[e];
    return compare(int64_t{u == v ? 1 : 0}, condition.whole);
  }
  if (condition.column == EdgeColumn::kMask) {
    return compare(int64_t{type.masks.at(condition.mask)[e]}, condition.whole);
  }
  if (condition.column == EdgeColumn::kTime) {
    return compare(type.time[e], condition.whole);
  }
  return compare(condition.column == EdgeColumn::kWeight ? type.weight[e]
                                                         : AttributeOf(type, e),
                 condition.AsDouble());
}

bool HasColumn(const EdgeType& type, const EdgeCondition& condition) {
  if (condition.column == EdgeColumn::kWeight) return !type.weight.empty();
  if (condition.column == EdgeColumn::kTime) return !type.time.empty();
  if (condition.column == EdgeColumn::kSelfLoop) return type.src == type.dst;
  if (condition.column == EdgeColumn::kMask) {
    return type.masks.contains(condition.mask);
  }
  return type.has_attr && condition.index == 0;
}

// The conditions of a type: its own, or the default's if it has the columns.
std::vector<EdgeCondition> Conditions(const EdgePredicates& predicates,
                                      const EdgeType& type) {
  const auto own = predicates.by_edge_type.find(type.name());
  if (own != predicates.by_edge_type.end()) return own->second;
  for (const EdgeCondition& condition : predicates.by_default) {
    if (!HasColumn(type, condition)) return {};
  }
  return predicates.by_default;
}

}  // namespace

bool IsEligible(const DrawOptions& draws, const EdgeType& type, size_t e) {
  for (const EdgeCondition& condition :
       Conditions(draws.edge_predicates, type)) {
    if (!IsMet(type, e, condition)) return false;
  }
  const auto mask = type.masks.find(draws.edge_mask);
  return mask == type.masks.end() || mask->second[e] != 0;
}

}  // namespace tributary
