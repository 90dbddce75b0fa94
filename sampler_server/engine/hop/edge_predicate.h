// Compiles the conditions that every drawn edge must meet, for one edge type.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_PREDICATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_PREDICATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "common/session/edge_condition.h"
#include "common/tensor/dtype.h"
#include "partition/format/graph.h"
#include "partition/schema/schema.h"

namespace tributary {

// The compiled conditions of one edge type. Immutable; thread-safe.
struct EdgePredicate {
  std::vector<EdgeCondition> conditions;
  // How the edge type stores the columns that the conditions read.
  ColumnSchema attr;
  DType weight = DType::kFloat32;
  // By condition; for masks: the index among the masks of the type.
  std::vector<size_t> mask_of;

  // Returns null, which every edge meets, for no conditions. INVALID_ARGUMENT
  // as CheckCondition.
  static absl::StatusOr<std::shared_ptr<const EdgePredicate>> Make(
      const EdgeTypeSchema& type, std::vector<EdgeCondition> conditions);

  // Checks the columns of a partition: FAILED_PRECONDITION if one is missing,
  // DATA_LOSS if one has another length.
  absl::Status CheckColumns(const EdgePartition& edges) const;

  // Clears the bits of a row's positions that do not meet all conditions;
  // `node` is the internal id of the row. Returns false if an order by time
  // holds a position beyond the row. Requires a successful CheckColumns, and
  // bits for `degree` positions, followed by zeros. When `stop` says so, leaves
  // the rest of the bits as they are.
  bool Narrow(const EdgePartition& edges, uint64_t node, uint64_t begin,
              uint64_t degree, absl::Span<uint64_t> bits,
              StopCheck* stop = nullptr) const;

 private:
  void NarrowPiece(size_t condition, const EdgePartition& edges, uint64_t node,
                   uint64_t begin, uint64_t size,
                   absl::Span<uint64_t> bits) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_PREDICATE_H_
