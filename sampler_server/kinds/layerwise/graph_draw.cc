#include "sampler_server/kinds/layerwise/graph_draw.h"

#include <algorithm>

#include "common/text/status.h"
#include "sampler_server/engine/ids/resolve_ids.h"
#include "sampler_server/kinds/layerwise/layer_draw.h"

namespace tributary {

absl::StatusOr<GraphDraw> GraphDraw::Draw(const Graph& graph, int node_type,
                                          int edge_type,
                                          const DegreeTable& table,
                                          PhiloxKey key, uint32_t k,
                                          StopCheck* stop) {
  const IdArray& degrees = graph.degrees(edge_type)->out;
  std::vector<int64_t> drawn;
  drawn.reserve(k);
  for (uint32_t i = 0; i < k; ++i) {
    if (ShouldStop(stop, table.work_of_draw())) return stop->why();
    drawn.push_back(table.Draw(degrees, LayerWord(key, i)));
  }
  std::sort(drawn.begin(), drawn.end());
  std::vector<double> share;
  size_t kept = 0;
  for (size_t i = 0; i < drawn.size();) {
    const size_t from = i;
    while (i < drawn.size() && drawn[i] == drawn[from]) ++i;
    share.push_back(static_cast<double>(i - from) /
                    static_cast<double>(degrees[drawn[from]]));
    drawn[kept++] = drawn[from];
  }
  drawn.resize(kept);
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                   ResolveIds(graph, node_type, drawn, stop));
  GraphDraw draw;
  draw.nodes_.reserve(kept);
  for (size_t i = 0; i < kept; ++i) draw.nodes_.push_back({ids[i], share[i]});
  std::sort(draw.nodes_.begin(), draw.nodes_.end(),
            [](const Drawn& a, const Drawn& b) { return a.node < b.node; });
  return draw;
}

double GraphDraw::Share(uint64_t node) const {
  const auto at = std::lower_bound(
      nodes_.begin(), nodes_.end(), node,
      [](const Drawn& drawn, uint64_t of) { return drawn.node < of; });
  return at != nodes_.end() && at->node == node ? at->share : 0;
}

}  // namespace tributary
