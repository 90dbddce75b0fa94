// The induced edges of one type while they are found: first how many each node
// has, then the edges themselves.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCED_EDGE_TABLE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCED_EDGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/questions/induced_edges.h"

namespace tributary {

// Edges lie in the order of their destinations' local numbers, so that each
// node's edges have a place as soon as all nodes are counted, and partitions
// may write theirs in any order: SetCount for every node, Allocate, write to
// edges(), Release. Memory is exact: 4 bytes a node, then those of the arrays.
// Not thread-safe.
class InducedEdgeTable {
 public:
  // All counts are 0. Edges have their ids only with `edge_ids`.
  explicit InducedEdgeTable(size_t num_nodes, bool edge_ids = true)
      : counts_(num_nodes, 0), has_edge_ids_(edge_ids) {}

  uint32_t count(uint32_t node) const { return counts_[node]; }
  // Requires that Allocate was not called.
  void SetCount(uint32_t node, uint32_t count) { counts_[node] = count; }
  uint64_t NumEdges() const;

  // Returns what the table takes in addition once it is filled and has owners.
  uint64_t BytesToFill(bool positions) const;
  // Makes room for NumEdges() edges, if wanted with their positions.
  void Allocate(bool positions);
  // Whether there are edges that have positions.
  bool has_positions() const { return !hop_.positions.empty(); }
  // The arrays to write edges to; edge ids and positions are null if not
  // wanted.
  InducedEdges edges();

  // A place in the table, for a caller that goes through some of the nodes in
  // ascending order. Starts at the first node.
  struct Cursor {
    uint32_t node = 0;
    uint64_t edge = 0;  // of all nodes before it
  };
  // Returns the place of the node's first edge and moves `cursor` to the node,
  // which must not be before it.
  uint64_t FirstEdge(uint32_t node, Cursor* cursor) const;

  // Sets the partition that the nodes' edges are stored in. Needed for every
  // node if the edges have positions.
  void SetOwner(absl::Span<const uint32_t> nodes, uint32_t partition);

  // Returns the edges and empties the table; src is empty if there are none.
  SampledHop Release();

  // Memory held.
  uint64_t bytes() const;

 private:
  std::vector<uint32_t> counts_;  // by node
  const bool has_edge_ids_;
  SampledHop hop_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCED_EDGE_TABLE_H_
