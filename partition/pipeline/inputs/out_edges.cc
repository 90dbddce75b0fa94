#include "partition/pipeline/inputs/out_edges.h"

#include <utility>

#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckNoTypes(bool heterogeneous) {
  if (!heterogeneous) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--out-edges, but the graph has types; allowed: --add-reverse, which "
      "stores every relation's edges both ways");
}

}  // namespace

absl::Status AddOutEdges(GraphSource* graph) {
  RETURN_IF_ERROR(CheckNoTypes(graph->heterogeneous));
  EdgeSource out = graph->edge_types.front();
  std::swap(out.src, out.dst);
  std::swap(out.src_type, out.dst_type);
  std::swap(out.from, out.to);
  out.rel = "rev_" + out.rel;
  out.reverse = true;
  // In canonical order rev_to comes before to.
  graph->edge_types.insert(graph->edge_types.begin(), std::move(out));
  return absl::OkStatus();
}

absl::Status AddOutEdges(GraphContent* content) {
  RETURN_IF_ERROR(CheckNoTypes(content->heterogeneous));
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
