// Cuts the nodes of a type into ranges whose data fit into memory.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_RANGES_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_RANGES_H_

#include <cstdint>
#include <vector>

namespace tributary {

// Counts edges by fine ranges of their destinations, so that memory does not
// grow with the nodes. Counts of several threads are added up.
class DestinationCounts {
 public:
  explicit DestinationCounts(int64_t num_nodes);

  void Add(int64_t node, uint64_t edges = 1) {
    counts_[static_cast<size_t>(node >> shift_)] += edges;
  }
  void Add(const DestinationCounts& other);
  // The fine ranges: all of 1 << shift nodes but the last.
  int shift() const { return shift_; }
  const std::vector<uint64_t>& counts() const { return counts_; }
  int64_t num_nodes() const { return num_nodes_; }

 private:
  int64_t num_nodes_;
  int shift_ = 0;
  std::vector<uint64_t> counts_;
};

// Consecutive ranges of nodes: range i is [begins[i], begins[i + 1]).
struct NodeRanges {
  std::vector<int64_t> begins;  // at least one entry; the last is num_nodes
  std::vector<uint64_t> bytes;  // of each range, as weighed by CutNodes

  size_t size() const { return begins.size() - 1; }
  // Returns the range of a node by its fine range.
  int shift = 0;
  std::vector<uint32_t> range_of_fine;
  size_t RangeOf(int64_t node) const {
    return range_of_fine[static_cast<size_t>(node >> shift)];
  }
};

// Edges into a type and the bytes that each takes.
struct WeighedCounts {
  const DestinationCounts* counts;
  uint64_t bytes_per_edge;
};

// Cuts `num_nodes` nodes into ranges of about `target_bytes`: a range is closed
// when the next fine range would make it larger. A single fine range may be
// larger; `bytes` tells. No range has more than 2^32 - 1 nodes.
NodeRanges CutNodes(int64_t num_nodes, uint64_t bytes_per_node,
                    const std::vector<WeighedCounts>& edges,
                    uint64_t target_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_NODE_RANGES_H_
