#include "sampler_server/engine/hop/other_types.h"

namespace tributary {

OtherTypes OtherTypesOf(const Graph& graph, int edge_type, uint32_t partition) {
  const auto& types = graph.schema().edge_types;  // canonical order
  OtherTypes others;
  for (int t = 0; t < static_cast<int>(types.size()); ++t) {
    if (t == edge_type || types[t].dst_type != types[edge_type].dst_type) {
      continue;
    }
    auto& list = t < edge_type ? others.before : others.after;
    list.push_back(graph.edges(t, partition));
  }
  return others;
}

}  // namespace tributary
