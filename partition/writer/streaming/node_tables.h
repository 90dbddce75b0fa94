// The tables by node that a streaming run holds in memory.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_TABLES_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/prefetch.h"
#include "partition/source/graph_source.h"
#include "partition/writer/writer.h"

namespace tributary {

// The placement of one node type: partitions and internal ids by original id.
// 4 bytes per internal id below 2^32, else 8. Immutable; thread-safe.
class NodeTable {
 public:
  // INVALID_ARGUMENT if a partition is not below num_partitions.
  static absl::StatusOr<NodeTable> Make(std::vector<uint16_t> partition_of,
                                        uint32_t num_partitions);
  // Reads the times of nodes, for edge types that leave from them.
  absl::Status LoadTimes(const Column& times);

  // The bytes that a table of this many nodes takes.
  static uint64_t BytesFor(int64_t num_nodes, bool timed);

  absl::Span<const uint16_t> partition_of() const { return partition_of_; }
  const std::vector<int64_t>& base() const { return base_; }
  int64_t internal(int64_t original) const {
    return narrow_.empty() ? wide_[original] : narrow_[original];
  }
  void Prefetch(int64_t original) const {
    if (!narrow_.empty()) tributary::Prefetch(&narrow_[original]);
  }
  int64_t time(int64_t original) const { return times_[original]; }
  int64_t num_nodes() const {
    return static_cast<int64_t>(partition_of_.size());
  }

 private:
  std::vector<uint16_t> partition_of_;
  std::vector<int64_t> base_;  // P + 1
  std::vector<uint32_t> narrow_;
  std::vector<int64_t> wide_;
  std::vector<int64_t> times_;  // empty if not loaded
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_TABLES_H_
