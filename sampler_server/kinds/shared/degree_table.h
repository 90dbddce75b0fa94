// Draws nodes in proportion to a power of their degrees.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_DEGREE_TABLE_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_DEGREE_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"
#include "partition/format/graph.h"

namespace tributary {

// Prefix sums of the weights of the nodes, by original id, at one end of an
// edge type: 8 bytes for each block of 512 nodes or more, up to 256 KiB, and 64
// KiB for the weights of small degrees. Shared by the batches of a session, the
// first of which allocate it and sum it up, piece by piece.
class DegreeTable {
 public:
  // Requires 1 to kMaxWeighedEdges edges.
  DegreeTable(uint64_t num_nodes, uint64_t num_edges, uint32_t power);

  // Returns the memory that it takes once it is summed up.
  uint64_t bytes() const;

  // Sums up one more piece, in a millisecond or so. Returns true once all is
  // summed up; else call again, with the same degrees. DATA_LOSS: the degrees
  // do not add up to num_edges. Thread-safe.
  absl::StatusOr<bool> Sum(const IdArray& degrees);

  // Returns the node that 64 random bits draw. Requires that Sum has returned
  // true to the caller. Thread-safe.
  int64_t Draw(const IdArray& degrees, uint64_t word) const;
  // Returns the nodes that a draw looks at, at most.
  uint64_t work_of_draw() const { return block_; }

 private:
  uint64_t WeightOf(uint64_t degree) const;
  void Allocate() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status SumPiece(const IdArray& degrees)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <typename Degree>
  int64_t Search(absl::Span<const Degree> degrees, uint64_t at) const;

  const uint64_t num_nodes_, num_edges_;
  const uint32_t power_;
  const uint64_t block_;  // nodes
  const uint64_t num_blocks_;
  const uint64_t num_weights_;
  Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  uint64_t summed_blocks_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t seen_edges_ ABSL_GUARDED_BY(mutex_) = 0;
  // Written under the mutex; immutable once all is summed up.
  std::vector<uint64_t> prefix_;   // [num_blocks_ + 1]
  std::vector<uint32_t> weights_;  // [num_weights_], of small degrees
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_DEGREE_TABLE_H_
