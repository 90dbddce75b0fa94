#include "partition/pipeline/inputs/out_edges.h"

#include <utility>

namespace tributary {

absl::Status AddOutEdges(GraphContent* content) {
  if (content->heterogeneous) {
    return absl::InvalidArgumentError(
        "--out-edges, but the graph has types; allowed: --add-reverse, which "
        "stores every relation's edges both ways");
  }
  const EdgeContent& edges = content->edge_types.front();
  EdgeContent out = edges;
  out.src = edges.dst;
  out.rel = "rev_" + edges.rel;
  out.dst = edges.src;
  out.src_type = edges.dst_type;
  out.dst_type = edges.src_type;
  out.reverse = true;
  out.in_edges =
      edges.in_edges.Transposed(content->node_types[edges.src_type].num_nodes);
  // In canonical order rev_to comes before to.
  content->edge_types.insert(content->edge_types.begin(), std::move(out));
  return absl::OkStatus();
}

}  // namespace tributary
