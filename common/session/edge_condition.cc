#include "common/session/edge_condition.h"

#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/proto/session.pb.h"
#include "common/text/number_text.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kAllowedForm[] =
    "edge_attr[I], edge_weight, edge_time, edge_mask[NAME] or self_loop, one "
    "of < <= == != >= >, and a number, as in 'edge_attr[0] >= 0.5 and "
    "edge_time < 100'; of one edge type: 'src,rel,dst:edge_weight > 0'";

// Longer ones first, since a shorter one may be a prefix of a longer one.
constexpr std::pair<absl::string_view, Comparison> kComparisons[] = {
    {"<=", Comparison::kLessOrEqual}, {">=", Comparison::kGreaterOrEqual},
    {"==", Comparison::kEqual},       {"!=", Comparison::kNotEqual},
    {"<", Comparison::kLess},         {">", Comparison::kGreater},
};

constexpr double kMaxExactWhole = 9007199254740992.0;  // 2^53: exact in float64

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("edge_predicate: ", parts...));
}

absl::Status ConditionError(absl::string_view text) {
  return Refuse("'", text, "'; allowed: ", kAllowedForm);
}

bool ParseColumn(absl::string_view text, EdgeCondition* condition) {
  if (text == "edge_weight") {
    condition->column = EdgeColumn::kWeight;
    return true;
  }
  if (text == "edge_time") {
    condition->column = EdgeColumn::kTime;
    return true;
  }
  if (text == "self_loop") {
    condition->column = EdgeColumn::kSelfLoop;
    return true;
  }
  if (absl::ConsumePrefix(&text, "edge_mask[")) {
    condition->column = EdgeColumn::kMask;
    if (!absl::ConsumeSuffix(&text, "]")) return false;
    condition->mask = std::string(text);
    return !text.empty();
  }
  condition->column = EdgeColumn::kAttr;
  return absl::ConsumePrefix(&text, "edge_attr[") &&
         absl::ConsumeSuffix(&text, "]") &&
         absl::SimpleAtoi(text, &condition->index);
}

bool ParseConstant(absl::string_view text, EdgeCondition* condition) {
  if (absl::SimpleAtoi(text, &condition->whole)) return true;
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return false;
  condition->is_whole =
      std::fabs(value) <= kMaxExactWhole && std::trunc(value) == value;
  if (condition->is_whole) {
    condition->whole = static_cast<int64_t>(value);
  } else {
    condition->decimal = value;
  }
  return true;
}

absl::StatusOr<EdgeCondition> ParseCondition(absl::string_view text) {
  const size_t at = text.find_first_of("<>=!");
  if (at == absl::string_view::npos) return ConditionError(text);
  EdgeCondition condition;
  absl::string_view rest = text.substr(at);
  for (const auto& [sign, comparison] : kComparisons) {
    if (!absl::ConsumePrefix(&rest, sign)) continue;
    condition.comparison = comparison;
    if (!ParseColumn(absl::StripAsciiWhitespace(text.substr(0, at)),
                     &condition) ||
        !ParseConstant(absl::StripAsciiWhitespace(rest), &condition)) {
      break;
    }
    return condition;
  }
  return ConditionError(text);
}

absl::StatusOr<std::vector<EdgeCondition>> ParseConditions(
    absl::string_view text) {
  std::vector<EdgeCondition> conditions;
  for (absl::string_view part : absl::StrSplit(text, " and ")) {
    ASSIGN_OR_RETURN(conditions.emplace_back(),
                     ParseCondition(absl::StripAsciiWhitespace(part)));
  }
  if (conditions.size() <= kMaxConditions) return conditions;
  return Refuse(conditions.size(), " conditions in '", text,
                "'; allowed: 1 to ", kMaxConditions);
}

// Returns the columns there are, as users write them.
std::string ColumnNames(const EdgeColumns& stored) {
  std::vector<std::string> names;
  if (stored.attr.has_value()) names.push_back("edge_attr[0]");
  if (stored.attr_width > 1) {
    names.back() += absl::StrCat(" to edge_attr[", stored.attr_width - 1, "]");
  }
  if (stored.weights) names.push_back("edge_weight");
  if (stored.times) names.push_back("edge_time");
  for (const std::string& mask : stored.masks) {
    names.push_back(absl::StrCat("edge_mask[", mask, "]"));
  }
  if (stored.self_loops) names.push_back("self_loop");
  return names.empty() ? "no columns" : absl::StrJoin(names, ", ");
}

bool HasColumn(const EdgeColumns& stored, const EdgeCondition& condition) {
  switch (condition.column) {
    case EdgeColumn::kAttr:
      return stored.attr.has_value() && condition.index < stored.attr_width;
    case EdgeColumn::kWeight:
      return stored.weights;
    case EdgeColumn::kTime:
      return stored.times;
    case EdgeColumn::kSelfLoop:
      return stored.self_loops;
    case EdgeColumn::kMask:
      return absl::c_linear_search(stored.masks, condition.mask);
  }
  return false;
}

bool HasAllColumns(const EdgeColumns& stored,
                   const std::vector<EdgeCondition>& conditions) {
  for (const EdgeCondition& condition : conditions) {
    if (!HasColumn(stored, condition)) return false;
  }
  return true;
}

bool IsWholeColumn(const EdgeColumns& stored, const EdgeCondition& condition) {
  if (condition.column != EdgeColumn::kAttr) {
    return condition.column != EdgeColumn::kWeight;
  }
  return *stored.attr != DType::kFloat32 && *stored.attr != DType::kFloat64;
}

absl::StatusOr<std::vector<EdgeCondition>> ReadConditions(
    const v1::EdgePredicate& predicate) {
  if (predicate.conditions_size() < 1 ||
      predicate.conditions_size() > static_cast<int>(kMaxConditions)) {
    return Refuse(predicate.conditions_size(), " conditions of edge type '",
                  predicate.edge_type(), "'; allowed: 1 to ", kMaxConditions);
  }
  std::vector<EdgeCondition> conditions;
  for (const v1::EdgeCondition& condition : predicate.conditions()) {
    ASSIGN_OR_RETURN(conditions.emplace_back(), ReadCondition(condition));
  }
  return conditions;
}

void FillConditions(const std::string& edge_type,
                    const std::vector<EdgeCondition>& conditions,
                    v1::NeighborSampling* neighbor) {
  v1::EdgePredicate* predicate = neighbor->add_edge_predicates();
  predicate->set_edge_type(edge_type);
  for (const EdgeCondition& condition : conditions) {
    FillCondition(condition, predicate->add_conditions());
  }
}

}  // namespace

std::string EdgeCondition::ToString() const {
  std::string name = column == EdgeColumn::kWeight     ? "edge_weight"
                     : column == EdgeColumn::kTime     ? "edge_time"
                     : column == EdgeColumn::kSelfLoop ? "self_loop"
                     : column == EdgeColumn::kMask
                         ? absl::StrCat("edge_mask[", mask, "]")
                         : absl::StrCat("edge_attr[", index, "]");
  absl::string_view sign;
  for (const auto& [text, value] : kComparisons) {
    if (value == comparison) sign = text;
  }
  return is_whole ? absl::StrCat(name, " ", sign, " ", whole)
                  : absl::StrCat(name, " ", sign, " ", NumberText(decimal));
}

absl::StatusOr<EdgePredicates> ParseEdgePredicates(absl::string_view text) {
  EdgePredicates predicates;
  for (absl::string_view entry : absl::StrSplit(text, ';')) {
    const size_t colon = entry.rfind(':');
    if (colon == absl::string_view::npos) {
      if (!predicates.by_default.empty()) {
        return Refuse("'", absl::StripAsciiWhitespace(entry),
                      "' is a second default; allowed: one, its conditions "
                      "joined by ' and '");
      }
      ASSIGN_OR_RETURN(predicates.by_default, ParseConditions(entry));
      continue;
    }
    ASSIGN_OR_RETURN(auto conditions, ParseConditions(entry.substr(colon + 1)));
    const std::string type(absl::StripAsciiWhitespace(entry.substr(0, colon)));
    if (type.empty()) return ConditionError(entry);
    if (!predicates.by_edge_type.emplace(type, std::move(conditions)).second) {
      return Refuse("edge type ", type, " is named twice; allowed: once");
    }
  }
  return predicates;
}

absl::Status CheckCondition(absl::string_view edge_type,
                            const EdgeColumns& stored,
                            const EdgeCondition& condition) {
  if (!HasColumn(stored, condition)) {
    return Refuse("'", condition.ToString(), "', but edge type ", edge_type,
                  " has no such column; allowed: ", ColumnNames(stored));
  }
  if (condition.column == EdgeColumn::kAttr &&
      (*stored.attr == DType::kFloat16 || *stored.attr == DType::kBFloat16)) {
    return Refuse("'", condition.ToString(), "', but edge_attr of edge type ",
                  edge_type,
                  " is of 16-bit floats; allowed: float32, float64 "
                  "and whole numbers");
  }
  if (condition.is_whole || !IsWholeColumn(stored, condition)) {
    return absl::OkStatus();
  }
  return Refuse("'", condition.ToString(), "', but the column of edge type ",
                edge_type, " holds whole numbers; allowed: a whole number");
}

void FillPredicates(const EdgePredicates& predicates,
                    v1::NeighborSampling* neighbor) {
  neighbor->clear_edge_predicates();
  if (!predicates.by_default.empty()) {
    FillConditions("", predicates.by_default, neighbor);
  }
  for (const auto& [type, conditions] : predicates.by_edge_type) {
    FillConditions(type, conditions, neighbor);
  }
}

void FillCondition(const EdgeCondition& condition, v1::EdgeCondition* to) {
  to->set_column(static_cast<v1::EdgeColumn>(condition.column));
  to->set_index(condition.index);
  to->set_mask(condition.mask);
  to->set_comparison(static_cast<v1::Comparison>(condition.comparison));
  if (condition.is_whole) {
    to->set_whole(condition.whole);
  } else {
    to->set_decimal(condition.decimal);
  }
}

absl::StatusOr<EdgeCondition> ReadCondition(
    const v1::EdgeCondition& condition) {
  if (!v1::EdgeColumn_IsValid(condition.column()) || condition.column() == 0) {
    return Refuse("column ", static_cast<int>(condition.column()),
                  "; allowed: edge_attr (1), edge_weight (2), edge_time (3), "
                  "self_loop (4), edge_mask (5)");
  }
  if (!v1::Comparison_IsValid(condition.comparison()) ||
      condition.comparison() == 0) {
    return Refuse("comparison ", static_cast<int>(condition.comparison()),
                  "; allowed: < (1) <= (2) == (3) != (4) >= (5) > (6)");
  }
  if (condition.index() != 0 && condition.column() != v1::EDGE_COLUMN_ATTR) {
    return Refuse("index ", condition.index(), "; allowed: with edge_attr");
  }
  if (condition.mask().empty() ==
      (condition.column() == v1::EDGE_COLUMN_MASK)) {
    return Refuse("mask '", condition.mask(),
                  "'; allowed: a name with edge_mask, and only then");
  }
  if (condition.constant_case() == v1::EdgeCondition::CONSTANT_NOT_SET ||
      (condition.has_decimal() && !std::isfinite(condition.decimal()))) {
    return Refuse("a constant is missing or not finite; allowed: numbers");
  }
  EdgeCondition read;
  read.column = static_cast<EdgeColumn>(condition.column());
  read.index = condition.index();
  read.mask = condition.mask();
  read.comparison = static_cast<Comparison>(condition.comparison());
  read.is_whole = condition.has_whole();
  read.whole = condition.whole();
  read.decimal = condition.decimal();
  return read;
}

absl::Status CheckPredicates(const v1::NeighborSampling& neighbor) {
  const std::string* last = nullptr;
  for (const v1::EdgePredicate& predicate : neighbor.edge_predicates()) {
    if (last != nullptr && predicate.edge_type() <= *last) {
      return Refuse(
          "edge type '", predicate.edge_type(),
          "' is out of order or named twice; allowed: ascending, each "
          "once");
    }
    last = &predicate.edge_type();
    RETURN_IF_ERROR(ReadConditions(predicate).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<EdgeCondition>> PredicateOf(
    const v1::NeighborSampling& neighbor, absl::string_view edge_type,
    const EdgeColumns& stored) {
  const v1::EdgePredicate* found = nullptr;
  for (const v1::EdgePredicate& predicate : neighbor.edge_predicates()) {
    if (predicate.edge_type().empty() || predicate.edge_type() == edge_type) {
      found = &predicate;  // the default comes first
    }
  }
  if (found == nullptr) return std::vector<EdgeCondition>();
  ASSIGN_OR_RETURN(auto conditions, ReadConditions(*found));
  if (found->edge_type().empty() && !HasAllColumns(stored, conditions)) {
    return std::vector<EdgeCondition>();
  }
  for (const EdgeCondition& condition : conditions) {
    RETURN_IF_ERROR(CheckCondition(edge_type, stored, condition));
  }
  return conditions;
}

absl::StatusOr<std::vector<EdgeCondition>> ConditionsOf(
    const v1::NeighborSampling& neighbor, absl::string_view edge_type,
    const EdgeColumns& stored) {
  ASSIGN_OR_RETURN(auto conditions, PredicateOf(neighbor, edge_type, stored));
  if (absl::c_linear_search(stored.masks, neighbor.edge_mask())) {
    EdgeCondition is_true;
    is_true.column = EdgeColumn::kMask;
    is_true.mask = neighbor.edge_mask();
    is_true.whole = 1;
    conditions.push_back(std::move(is_true));
  }
  return conditions;
}

}  // namespace tributary
