// Loads the edges of consecutive nodes from EdgeBuckets, in bounded memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_RUN_LOADER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_RUN_LOADER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/ldg/edge_buckets.h"

namespace tributary {

// Consecutive nodes with their neighbours of smaller joint numbers.
template <typename Id>
struct NodeRun {
  uint64_t first = 0;  // the first node
  uint64_t num_nodes = 0;
  size_t bucket = 0;  // that the edges are from
  // Node first + i has the neighbours [ends[i - 1], ends[i]), from 0 for i =
  // 0; parallel edges are repeated.
  std::vector<uint64_t> ends;
  std::vector<Id> neighbors;
  // The only node has more neighbours than memory: they are not here, but the
  // pairs of the bucket with this larger end.
  bool oversized = false;
};

// Returns the runs that cover all nodes, in order. A bucket that fits is one
// run; else it is read once for each of its runs. Not thread-safe.
template <typename Id>
class RunLoader {
 public:
  // A run takes at most `run_bytes`, beside 8 bytes for each node of a bucket.
  RunLoader(const EdgeBuckets& buckets, uint64_t run_bytes)
      : buckets_(buckets), run_bytes_(run_bytes) {}

  // Replaces `run` by the next one; returns false after the last.
  absl::StatusOr<bool> Next(NodeRun<Id>& run);

 private:
  absl::Status CountBucket();
  void TakeNodes(NodeRun<Id>& run);
  absl::Status Fill(NodeRun<Id>& run) const;

  const EdgeBuckets& buckets_;
  const uint64_t run_bytes_;
  size_t bucket_ = 0;
  std::vector<uint64_t> counts_;  // of the bucket's nodes
  size_t taken_ = 0;              // of counts_
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_RUN_LOADER_H_
