#include "partition/writer/streaming/memory_shares.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "partition/writer/streaming/edge_splits.h"
#include "partition/writer/streaming/node_tables.h"

namespace tributary {
namespace {

// Of the program, its libraries and small tables.
constexpr uint64_t kProgramBytes = uint64_t{96} << 20;
// What a thread needs at least beside the nodes.
constexpr uint64_t kLeastThreadBytes = uint64_t{32} << 20;

}  // namespace

absl::StatusOr<MemoryShares> ShareMemory(const GraphSource& source,
                                         const WriteOptions& options,
                                         const StreamingBounds& bounds,
                                         uint32_t num_partitions) {
  uint64_t fixed = kProgramBytes + EdgeSplits::BytesFor(source);
  uint64_t most_nodes = 0;
  for (const NodeSource& nodes : source.node_types) {
    fixed += NodeTable::BytesFor(nodes.num_nodes, nodes.time != nullptr);
    most_nodes = std::max(most_nodes, static_cast<uint64_t>(nodes.num_nodes));
  }
  if (options.degrees) fixed += most_nodes * sizeof(uint64_t);
  fixed += uint64_t{num_partitions} * source.edge_types.size() * 64;
  const auto threads = static_cast<uint64_t>(bounds.threads);
  const uint64_t least = fixed + 2 * threads * kLeastThreadBytes;
  if (least > bounds.memory_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the graph's nodes and ", bounds.threads, " threads need ", least,
        " bytes of memory; --memory allows ", bounds.memory_bytes));
  }
  const uint64_t rest = bounds.memory_bytes - fixed;
  MemoryShares shares;
  shares.buffer_bytes = std::min<uint64_t>(rest / 4, uint64_t{1} << 30);
  // Pieces and sorted edges may take up to twice what they hold.
  shares.thread_bytes = (rest - shares.buffer_bytes) / 2 / threads;
  shares.range_bytes = std::min(bounds.range_bytes, shares.thread_bytes);
  return shares;
}

absl::StatusOr<int> ThreadsFor(const std::vector<NodeRanges>& ranges,
                               const MemoryShares& shares,
                               const StreamingBounds& bounds) {
  uint64_t most = 0;
  for (const NodeRanges& of_type : ranges) {
    for (uint64_t bytes : of_type.bytes) most = std::max(most, bytes);
  }
  if (most <= shares.range_bytes) return bounds.threads;
  const uint64_t all =
      shares.thread_bytes * static_cast<uint64_t>(bounds.threads);
  if (most <= all) {
    return static_cast<int>(std::min<uint64_t>(bounds.threads, all / most));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the edges into some ", int64_t{1} << ranges[0].shift,
      " neighbouring nodes need ", 2 * most, " bytes at once; --memory ",
      bounds.memory_bytes, " leaves ", 2 * all));
}

}  // namespace tributary
