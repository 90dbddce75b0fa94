// Edges that a batch may not draw: docs/sampling.md, "Edges that are left out".
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

// All in-edges of a node that come from another one: parallels too.
struct SourceOfNode {
  uint64_t node = 0;    // internal id of the edges' destination
  uint64_t source = 0;  // internal id
  friend auto operator<=>(const SourceOfNode&, const SourceOfNode&) = default;
};

// Of one edge type, for all hops and trees of a batch. Ids are plain internal
// ids, also in disjoint batches. What is excluded and not there does no harm.
struct ExcludedEdges {
  // More of one node would not fit a request to a peer.
  static constexpr size_t kMostOfNode = 65'536;

  std::vector<EdgeOfNode> by_id;
  std::vector<SourceOfNode> by_source;

  // Brings what was added, in any order, into the order that draws look it up
  // in; without doubles. Required before the first hop. INVALID_ARGUMENT for a
  // node with more than kMostOfNode.
  absl::Status Finish();

  bool empty() const { return by_id.empty() && by_source.empty(); }
  // Memory held.
  size_t bytes() const {
    return by_id.capacity() * sizeof(EdgeOfNode) +
           by_source.capacity() * sizeof(SourceOfNode);
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_EDGES_H_
