// Lists the edges that a batch may not draw: docs/sampling/neighbors.md, "Edges
// that are left out".
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_EDGES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace tributary {

// One in-edge of a node.
struct EdgeOfNode {
  uint64_t node = 0;  // internal id of the edge's destination
  int64_t edge_id = 0;
  friend auto operator<=>(const EdgeOfNode&, const EdgeOfNode&) = default;
};

// All in-edges of a node that come from one other node, parallel edges
// included.
struct SourceOfNode {
  uint64_t node = 0;    // internal id of the edges' destination
  uint64_t source = 0;  // internal id
  friend auto operator<=>(const SourceOfNode&, const SourceOfNode&) = default;
};

// The excluded edges of one edge type, for all hops and trees of a batch. Ids
// are plain internal ids, in disjoint batches too. Edges that do not exist may
// be listed. Not thread-safe until Finish has returned.
struct ExcludedEdges {
  // The most entries of one node; more would not fit a request to a peer.
  static constexpr size_t kMostOfNode = 65'536;

  std::vector<EdgeOfNode> by_id;
  std::vector<SourceOfNode> by_source;

  // Sorts the entries, which were added in any order, and removes duplicates.
  // Required before the first hop. INVALID_ARGUMENT for a node with more than
  // kMostOfNode entries.
  absl::Status Finish();

  bool empty() const { return by_id.empty() && by_source.empty(); }
  // Returns the memory held.
  size_t bytes() const {
    return by_id.capacity() * sizeof(EdgeOfNode) +
           by_source.capacity() * sizeof(SourceOfNode);
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_EDGES_H_
