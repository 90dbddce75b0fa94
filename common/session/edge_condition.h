// Conditions on stored values of edges, which decide whether an edge may be
// drawn: parsing, checking, and conversion to and from a specification.
#ifndef TRIBUTARY_COMMON_SESSION_EDGE_CONDITION_H_
#define TRIBUTARY_COMMON_SESSION_EDGE_CONDITION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"

namespace tributary {

namespace v1 {
class EdgeCondition;
class NeighborSampling;
}  // namespace v1

// The value of an edge that a condition reads. The numbers are those of
// session.proto.
enum class EdgeColumn {
  kAttr = 1,
  kWeight = 2,
  kTime = 3,
  kSelfLoop = 4,
  kMask = 5
};
enum class Comparison {
  kLess = 1,
  kLessOrEqual = 2,
  kEqual = 3,
  kNotEqual = 4,
  kGreaterOrEqual = 5,
  kGreater = 6,
};

// Compares a value of an edge with a constant. NaN meets no condition.
struct EdgeCondition {
  EdgeColumn column = EdgeColumn::kAttr;
  uint32_t index = 0;  // column of edge_attr; otherwise 0
  std::string mask;    // a mask's name; otherwise empty
  Comparison comparison = Comparison::kEqual;
  // The constant, which is finite. Whole numbers, also written 2.0 or 1e3, are
  // held as int64: integer columns are compared with them in 64 bits, other
  // columns in float64.
  bool is_whole = true;
  int64_t whole = 0;
  double decimal = 0;

  // Returns the constant as float64.
  double AsDouble() const {
    return is_whole ? static_cast<double>(whole) : decimal;
  }
  // Returns the condition as users write it: "edge_attr[0] >= 0.5".
  std::string ToString() const;
  friend bool operator==(const EdgeCondition&, const EdgeCondition&) = default;
};

// The maximum number of conditions in the predicate of one edge type, not
// counting the session's mask.
inline constexpr size_t kMaxConditions = 16;

// The conditions of a session by edge type. All conditions of a type must be
// met.
struct EdgePredicates {
  // For edge types that have no entry of their own and have all the columns it
  // uses.
  std::vector<EdgeCondition> by_default;
  std::map<std::string, std::vector<EdgeCondition>> by_edge_type;
  bool empty() const { return by_default.empty() && by_edge_type.empty(); }
  friend bool operator==(const EdgePredicates&,
                         const EdgePredicates&) = default;
};

// Parses predicates: "edge_attr[0] >= 0.5 and edge_time < 100", or with edge
// types "edge_weight > 0;paper,cites,paper:edge_attr[2] == 1". Columns are
// edge_attr[I], edge_weight, edge_time, edge_mask[NAME] and self_loop;
// comparisons are < <= == != >= >. INVALID_ARGUMENT with the text and what is
// allowed.
absl::StatusOr<EdgePredicates> ParseEdgePredicates(absl::string_view text);

// The columns that a graph stores for the edges of one type.
struct EdgeColumns {
  std::optional<DType> attr;
  size_t attr_width = 0;  // values per edge
  bool weights = false;
  bool times = false;
  bool self_loops = false;  // both ends are of one type; the value is 0 or 1
  std::vector<std::string> masks;  // names of masks; the values are 0 or 1
};

// Checks that a condition can be applied to an edge type with the columns
// `stored`. INVALID_ARGUMENT, with the columns there are, if the type lacks the
// column or its values cannot be compared with the constant.
absl::Status CheckCondition(absl::string_view edge_type,
                            const EdgeColumns& stored,
                            const EdgeCondition& condition);

// ---- Specifications ---------------------------------------------------------

// Replaces the predicates of `neighbor`.
void FillPredicates(const EdgePredicates& predicates,
                    v1::NeighborSampling* neighbor);

// Writes a condition to `to`.
void FillCondition(const EdgeCondition& condition, v1::EdgeCondition* to);

// Reads a condition. INVALID_ARGUMENT for enumerations, indices and constants
// that are out of range.
absl::StatusOr<EdgeCondition> ReadCondition(const v1::EdgeCondition& condition);

// Checks the predicates of `neighbor`, independent of the graph: each edge type
// occurs once, names ascend, and all conditions can be read. INVALID_ARGUMENT
// otherwise.
absl::Status CheckPredicates(const v1::NeighborSampling& neighbor);

// Returns the predicate of a sampled edge type: its own; or the default if the
// type has all of its columns; or no conditions, so that every edge may be
// drawn. Requires CheckPredicates. INVALID_ARGUMENT as CheckCondition.
absl::StatusOr<std::vector<EdgeCondition>> PredicateOf(
    const v1::NeighborSampling& neighbor, absl::string_view edge_type,
    const EdgeColumns& stored);

// Like PredicateOf, with a further condition that the session's mask is true if
// the type has that mask.
absl::StatusOr<std::vector<EdgeCondition>> ConditionsOf(
    const v1::NeighborSampling& neighbor, absl::string_view edge_type,
    const EdgeColumns& stored);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_EDGE_CONDITION_H_
