// The nodes of a batch between which the edges of one type are induced.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCED_NODES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCED_NODES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "sampler_server/engine/ids/tree_ids.h"
#include "sampler_server/engine/questions/induced_edges.h"
#include "sampler_server/engine/questions/payload_arrays.h"

namespace tributary {

// The ends of the edge type's edges, by local number. Ids are internal ids; in
// a disjoint batch those of TreeIds. A view: the spans outlive it.
struct InducedNodes {
  absl::Span<const uint64_t> sources;
  absl::Span<const uint64_t> destinations;
  uint64_t num_src_nodes = 0;  // of the source type, in the graph
  uint64_t num_dst_nodes = 0;
  uint32_t trees = 0;  // of a disjoint batch; else 0

  // Bytes of an id in a question.
  size_t source_id_bytes() const {
    return PackedIdBytes(num_src_nodes * std::max<uint32_t>(1, trees));
  }
  size_t destination_id_bytes() const {
    return PackedIdBytes(num_dst_nodes * std::max<uint32_t>(1, trees));
  }

  // Returns the row of a destination, by its local number, in its partition,
  // whose first node is `base`.
  InducedRow RowOf(uint32_t destination, uint64_t base) const {
    const uint64_t id = destinations[destination];
    if (trees == 0) return {id - base};
    const TreeIds ids(num_dst_nodes);
    return {ids.Node(id) - base, TreeIds(num_src_nodes).Id(ids.Tree(id), 0)};
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCED_NODES_H_
