// Which edges may be drawn by what is stored beside them: a user's words,
// checked, and as a specification holds them.
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

// The numbers are those of session.proto.
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

// A value of an edge compared with a constant. A NaN meets no condition.
struct EdgeCondition {
  EdgeColumn column = EdgeColumn::kAttr;
  uint32_t index = 0;  // of a row of edge_attr; else 0
  std::string mask;    // a mask's name; else empty
  Comparison comparison = Comparison::kEqual;
  // Finite. Whole constants are held as such, also those written 2.0 or 1e3:
  // columns of whole numbers are compared with them in 64 bits, others in
  // float64.
  bool is_whole = true;
  int64_t whole = 0;
  double decimal = 0;

  double AsDouble() const {
    return is_whole ? static_cast<double>(whole) : decimal;
  }
  // As users write it: "edge_attr[0] >= 0.5".
  std::string ToString() const;
  friend bool operator==(const EdgeCondition&, const EdgeCondition&) = default;
};

// More of one edge type's predicate are refused; the session's mask is one
// more.
inline constexpr size_t kMaxConditions = 16;

// All conditions of an edge type must be met.
struct EdgePredicates {
  // Of the edge types that have all its columns and no entry of their own.
  std::vector<EdgeCondition> by_default;
  std::map<std::string, std::vector<EdgeCondition>> by_edge_type;
  bool empty() const { return by_default.empty() && by_edge_type.empty(); }
  friend bool operator==(const EdgePredicates&,
                         const EdgePredicates&) = default;
};

// "edge_attr[0] >= 0.5 and edge_time < 100", or with edge types of their own
// "edge_weight > 0;paper,cites,paper:edge_attr[2] == 1". Columns are
// edge_attr[I], edge_weight, edge_time, edge_mask[NAME] and self_loop;
// comparisons < <= == != >= >. INVALID_ARGUMENT with the text and what is
// allowed.
absl::StatusOr<EdgePredicates> ParseEdgePredicates(absl::string_view text);

// What is stored beside the edges of a type.
struct EdgeColumns {
  std::optional<DType> attr;
  size_t attr_width = 0;  // values in a row
  bool weights = false;
  bool times = false;
  bool self_loops = false;         // its ends are of one type: 0 or 1
  std::vector<std::string> masks;  // their names: 0 or 1
};

// INVALID_ARGUMENT, with what the type has, where the condition has no column
// there or a constant that the column cannot be compared with.
absl::Status CheckCondition(absl::string_view edge_type,
                            const EdgeColumns& stored,
                            const EdgeCondition& condition);

// ---- in a specification -----------------------------------------------------

void FillPredicates(const EdgePredicates& predicates,
                    v1::NeighborSampling* neighbor);

void FillCondition(const EdgeCondition& condition, v1::EdgeCondition* to);

// INVALID_ARGUMENT for enumerations, indices and constants out of range.
absl::StatusOr<EdgeCondition> ReadCondition(const v1::EdgeCondition& condition);

// Whatever the graph: each edge type once, by name ascending, with conditions
// that can be read.
absl::Status CheckPredicates(const v1::NeighborSampling& neighbor);

// The predicate of a sampled edge type: its own, or the default where it has
// its columns; none, and so every edge, where it has not. Requires
// CheckPredicates. INVALID_ARGUMENT as CheckCondition.
absl::StatusOr<std::vector<EdgeCondition>> PredicateOf(
    const v1::NeighborSampling& neighbor, absl::string_view edge_type,
    const EdgeColumns& stored);

// The same, and that the session's mask is true where the type has it.
absl::StatusOr<std::vector<EdgeCondition>> ConditionsOf(
    const v1::NeighborSampling& neighbor, absl::string_view edge_type,
    const EdgeColumns& stored);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_EDGE_CONDITION_H_
