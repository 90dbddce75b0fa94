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

// The weights' sums at the beginnings of blocks of nodes, by original id, of
// one end of an edge type: 8 bytes for 512 nodes or more, up to 256 KiB,
// and 64 KiB for the weights of small degrees. The batches that come first sum
// them up, piece by piece.
class DegreeTable {
 public:
  // Requires up to kMaxWeighedEdges edges, and one at least.
  DegreeTable(uint64_t num_nodes, uint64_t num_edges, uint32_t power);

  // True when all is summed up; else a piece more is, in a millisecond or so:
  // call again. The same degrees in each call. DATA_LOSS where they are not
  // those of so many edges. Thread-safe.
  absl::StatusOr<bool> Sum(const IdArray& degrees);

  // The node of 64 random bits. Requires that Sum gave true to the caller.
  int64_t Draw(const IdArray& degrees, uint64_t word) const;

 private:
  uint64_t WeightOf(uint64_t degree) const;
  void WeighSmallDegrees() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status SumPiece(const IdArray& degrees)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  template <typename Degree>
  int64_t Search(absl::Span<const Degree> degrees, uint64_t at) const;

  const uint64_t num_nodes_, num_edges_;
  const uint32_t power_;
  const uint64_t block_;  // nodes
  Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  uint64_t summed_blocks_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t seen_edges_ ABSL_GUARDED_BY(mutex_) = 0;
  // Written under the mutex; do not change when all is summed up.
  std::vector<uint64_t> prefix_;   // [blocks + 1]
  std::vector<uint32_t> weights_;  // of small degrees
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_DEGREE_TABLE_H_
