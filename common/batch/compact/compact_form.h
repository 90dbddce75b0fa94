// The form in which the edges of a batch travel: docs/protocol.md, "Compact
// edges".
//
// A block stands in place of a tensor's bytes, at the tensor's end. Of an
// edge_index the block is, little-endian:
//
//   u8 form | u8 bytes of a number | u16 0 | u32 number of runs
//   per run: u32 edges | u32 nodes | u32 fresh | u32 first node |
//            u32 first fresh | u32 reversed
//   zeros
//   per run: degrees   per run: marks   numbers of all runs
//
// and of an e_id
//
//   u8 form | u8 bytes of a number | u16 0 | u32 0   zeros   numbers
#ifndef TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_FORM_H_
#define TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_FORM_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/batch/left_out.h"

namespace tributary {

inline constexpr uint8_t kCompactForm = 1;
inline constexpr size_t kCompactHeaderBytes = 8;
inline constexpr size_t kCompactRunBytes = 24;
// Nodes without edges take a bit each, of which the receiver holds a copy: an
// edge_index with more of them comes as it is.
inline constexpr uint64_t kMostNodesPerEdge = 8;

// Bytes of an edge in the tensors.
inline constexpr size_t kEdgeIndexBytes = 2 * sizeof(int32_t);
inline constexpr size_t kEdgeIdBytes = sizeof(int64_t);

// Returns the fewest bytes that hold `value`, at least one.
constexpr uint8_t BytesOfNumber(uint64_t value) {
  return static_cast<uint8_t>((std::bit_width(value | 1) + 7) / 8);
}

// Edges that follow each other in the tensor: those of one type and one hop,
// ordered by the node that was expanded. An edge connects that node with a
// neighbour, which is fresh if it has the next number after that of the run's
// fresh neighbours before it.
struct CompactRun {
  uint32_t edges = 0;
  uint32_t nodes = 0;  // expanded, from the first with an edge to the last one
  uint32_t fresh = 0;  // edges to fresh neighbours; 0: none is marked as such
  uint32_t first_node = 0;   // number of the first node
  uint32_t first_fresh = 0;  // number of the first fresh neighbour
  // Neighbours are destinations, and expanded nodes are sources.
  bool reversed = false;

  bool operator==(const CompactRun&) const = default;

  // Where all neighbours are alike nothing tells which ones are fresh.
  bool has_marks() const { return fresh > 0 && fresh < edges; }
  uint32_t numbers() const { return edges - fresh; }
  // For each node there is a 1 for each edge, then a 0.
  uint64_t degree_bits() const { return uint64_t{edges} + nodes; }
  size_t degree_bytes() const { return (degree_bits() + 7) / 8; }
  // For each edge there is a bit: 1 if its neighbour is fresh.
  size_t mark_bytes() const {
    return has_marks() ? (size_t{edges} + 7) / 8 : 0;
  }
};

// How an edge_index is encoded.
struct CompactEdgeIndex {
  std::vector<CompactRun> runs;
  uint8_t number_bytes = 0;  // 1 to 4; 0 if all neighbours are fresh

  bool operator==(const CompactEdgeIndex&) const = default;

  uint64_t edges() const {
    uint64_t sum = 0;
    for (const CompactRun& run : runs) sum += run.edges;
    return sum;
  }
  uint64_t nodes() const {
    uint64_t sum = 0;
    for (const CompactRun& run : runs) sum += run.nodes;
    return sum;
  }
  uint64_t number_stream_bytes() const {
    uint64_t numbers = 0;
    for (const CompactRun& run : runs) numbers += run.numbers();
    return numbers * number_bytes;
  }
  // Degrees and marks.
  uint64_t bit_stream_bytes() const {
    uint64_t sum = 0;
    for (const CompactRun& run : runs) {
      sum += run.degree_bytes() + run.mark_bytes();
    }
    return sum;
  }
  uint64_t header_bytes() const {
    return kCompactHeaderBytes + kCompactRunBytes * runs.size();
  }
  // Returns the size of the block without the zeros in it.
  uint64_t bytes() const {
    return header_bytes() + bit_stream_bytes() + number_stream_bytes();
  }
  // Returns how many of the tensor's first bytes the block leaves out; 0: it is
  // no smaller, or the tensor must come as it is.
  size_t left_out() const {
    const uint64_t tensor = edges() * kEdgeIndexBytes;
    if (bytes() >= tensor || nodes() > kMostNodesPerEdge * edges()) return 0;
    return LeftOutOf(tensor - bytes());
  }
};

// Returns how many of the first bytes of an e_id a block leaves out.
constexpr size_t LeftOutOfEdgeIds(uint64_t edges, uint8_t number_bytes) {
  const uint64_t tensor = edges * kEdgeIdBytes;
  const uint64_t block = kCompactHeaderBytes + edges * number_bytes;
  return block >= tensor ? 0 : LeftOutOf(tensor - block);
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_FORM_H_
