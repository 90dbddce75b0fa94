// Divides the memory that a streaming write may use.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_MEMORY_SHARES_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_MEMORY_SHARES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"
#include "partition/writer/streaming/node_ranges.h"
#include "partition/writer/streaming/streaming_writer.h"

namespace tributary {

// In bytes; tables of nodes are not among them.
struct MemoryShares {
  uint64_t buffer_bytes = 0;  // for blocks of rows on their way to files
  uint64_t thread_bytes = 0;  // for the edges that a thread sorts and writes
  uint64_t range_bytes = 0;   // for those of one range of nodes, if possible
};

// Returns the shares of what the nodes' tables leave. INVALID_ARGUMENT, with
// both sizes, if they leave too little.
absl::StatusOr<MemoryShares> ShareMemory(const GraphSource& source,
                                         const WriteOptions& options,
                                         const StreamingBounds& bounds,
                                         uint32_t num_partitions);

// Returns how many threads may work at these ranges at once: fewer than
// `bounds` allows, if one node has more edges than a range should.
// INVALID_ARGUMENT, with both sizes, if the memory does not do for one.
absl::StatusOr<int> ThreadsFor(const std::vector<NodeRanges>& ranges,
                               const MemoryShares& shares,
                               const StreamingBounds& bounds);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_MEMORY_SHARES_H_
