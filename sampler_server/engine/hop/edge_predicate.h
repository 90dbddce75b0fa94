// Conditions that every edge drawn must meet, made ready for one edge type.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_PREDICATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_PREDICATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/session/edge_condition.h"
#include "common/tensor/dtype.h"
#include "partition/format/graph.h"
#include "partition/schema/schema.h"

namespace tributary {

// Immutable.
struct EdgePredicate {
  std::vector<EdgeCondition> conditions;
  // How the edge type stores what they look at.
  DType attr = DType::kFloat32;
  size_t attr_width = 1;  // values in a row
  DType weight = DType::kFloat32;
  // By condition, of masks: the place among the type's.
  std::vector<size_t> mask_of;

  // Null, and so every edge, for no conditions. INVALID_ARGUMENT as
  // CheckCondition.
  static absl::StatusOr<std::shared_ptr<const EdgePredicate>> Make(
      const EdgeTypeSchema& type, std::vector<EdgeCondition> conditions);

  // Whether the partition has all of the columns: FAILED_PRECONDITION,
  // DATA_LOSS for one of another length.
  absl::Status CheckColumns(const EdgePartition& edges) const;

  // Clears the bits of a row's positions that do not meet all conditions;
  // `node` is the row's internal id. False when an order by time holds a
  // position beyond the row. Requires CheckColumns, and bits for `degree`
  // positions, those after them 0.
  bool Narrow(const EdgePartition& edges, uint64_t node, uint64_t begin,
              uint64_t degree, absl::Span<uint64_t> bits) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_PREDICATE_H_
