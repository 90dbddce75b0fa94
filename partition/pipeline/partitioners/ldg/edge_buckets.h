// The edges of a graph in files by ranges of their larger ends.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_EDGE_BUCKETS_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_EDGE_BUCKETS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/pipeline/partitioners/method/partition_options.h"
#include "partition/source/graph_source.h"

namespace tributary {

// An edge by the joint numbers of its ends.
template <typename Id>
struct EndPair {
  Id larger = 0, smaller = 0;
};

// Pairs of ends, loops left out, in files of a work folder. Bucket b holds, in
// no order, the pairs whose larger end is in [b * width, (b + 1) * width).
// Immutable; the files remain.
class EdgeBuckets {
 public:
  // Returns the buckets of `graph`: those that an earlier call with the same
  // work folder has finished, else new ones, which it writes with
  // context.num_threads() threads in `buffer_bytes` of memory. Reads edges as
  // rows, so that an undirected edge is one pair. Pairs have 8 bytes if joint
  // numbers fit 32 bits, else 16.
  // RESOURCE_EXHAUSTED if the disk has less free space than the pairs need;
  // else errors as JointEnds::Read, or the system's with the path.
  static absl::StatusOr<EdgeBuckets> Make(const GraphSource& graph,
                                          const JointNodes& nodes,
                                          const PartitionContext& context,
                                          const std::string& folder,
                                          uint64_t buffer_bytes);
  // Returns the least memory that Make takes.
  static uint64_t LeastBufferBytes(int threads);
  // Returns an upper bound of the nodes of a bucket of a graph.
  static uint64_t MaxNodes(uint64_t num_nodes);

  size_t size() const { return num_pairs_.size(); }
  uint64_t width() const { return width_; }
  bool wide() const { return wide_; }  // pairs are EndPair<uint64_t>
  uint64_t num_pairs(size_t bucket) const { return num_pairs_[bucket]; }
  // Returns the nodes [first, end) of a bucket.
  uint64_t first_node(size_t bucket) const { return bucket * width_; }
  uint64_t end_node(size_t bucket) const {
    return std::min(num_nodes_, (bucket + 1) * width_);
  }
  // Calls f with all pairs of a bucket, 64 Ki at a time. Requires Id to be as
  // wide() says. Thread-safe.
  template <typename Id>
  absl::Status ForEachPair(
      size_t bucket,
      absl::FunctionRef<void(absl::Span<const EndPair<Id>>)> f) const;
  // Removes all that Make has written to a folder.
  static void RemoveFrom(const std::string& folder);

 private:
  friend class BucketWriter;
  std::string PathOf(size_t bucket) const;
  std::string ListText() const;
  absl::Status ReadList(bool& found);
  absl::Status WriteList() const;

  std::string folder_;
  uint64_t num_nodes_ = 0;
  uint64_t num_rows_ = 0;
  uint64_t width_ = 1;
  bool wide_ = false;
  std::vector<uint64_t> num_pairs_;  // by bucket
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_EDGE_BUCKETS_H_
