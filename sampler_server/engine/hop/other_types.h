// Finds the rows that a draw across edge types joins to one.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_OTHER_TYPES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_OTHER_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "partition/format/graph.h"

namespace tributary {

// The other edge types that end at the node type of an edge type's
// destinations, in one partition: they have the same rows. Each list is in
// canonical order. The graph outlives them.
struct OtherTypes {
  std::vector<const EdgePartition*> before;  // the edge type
  std::vector<const EdgePartition*> after;

  size_t size() const { return before.size() + after.size(); }
};

// Returns those of `edge_type`. Requires that `graph` maps the partition.
OtherTypes OtherTypesOf(const Graph& graph, int edge_type, uint32_t partition);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_OTHER_TYPES_H_
