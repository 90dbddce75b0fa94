// Makes tensors again of the blocks that compact_writer.h writes.
#ifndef TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_EXPANDER_H_
#define TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_EXPANDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/batch/compact/compact_form.h"
#include "common/batch/compact/compact_path.h"

namespace tributary {

// Reads what a block of an edge_index says of itself, and checks that it is the
// one of a tensor of `edges` edges whose block has this size, and that the
// numbers of its nodes are below `num_nodes`: DATA_LOSS otherwise.
absl::StatusOr<CompactEdgeIndex> ReadCompactEdgeIndex(
    absl::Span<const uint8_t> block, uint64_t edges, uint64_t num_nodes);

// Expands one tensor in its place: its block lies at its end. Works in steps.
// All of the block is untrusted. For one thread at a time.
class CompactExpander {
 public:
  virtual ~CompactExpander() = default;
  // Does some of the work, some hundred microseconds. DATA_LOSS if the block is
  // not what a CompactEdgeIndex or an e_id is encoded as; the tensor's contents
  // are undefined then. Requires !done().
  virtual absl::Status Step() = 0;
  virtual bool done() const = 0;
};

// `tensor`: an edge_index, int32 [2, E], whose first `left_out` bytes were left
// out; it outlives the result, which from the first step on holds a copy of at
// most ten bits for each edge. `num_nodes` is what all numbers are below.
// DATA_LOSS: see above.
absl::StatusOr<std::unique_ptr<CompactExpander>> ExpandEdgeIndex(
    absl::Span<uint8_t> tensor, size_t left_out, uint64_t num_nodes,
    const CompactPath& path = CompactPaths().back());

// Likewise for an e_id, int64 [E].
absl::StatusOr<std::unique_ptr<CompactExpander>> ExpandEdgeIds(
    absl::Span<uint8_t> tensor, size_t left_out,
    const CompactPath& path = CompactPaths().back());

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_EXPANDER_H_
