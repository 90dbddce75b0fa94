#include "sampler_server/engine/testing/expected_subgraph.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tributary {

size_t ReverseOf(const MemoryGraphSpec& graph,
                 const ExpectedEdgeTypes& edge_types, size_t t) {
  const auto& type = graph.edge_types[t];
  const auto find = [&](auto is_reverse) {
    for (const auto& [u, edges] : edge_types) {
      const auto& other = graph.edge_types[u];
      const bool back = other.src == type.dst && other.dst == type.src;
      if (back && is_reverse(other.rel)) return u;
    }
    return graph.edge_types.size();
  };
  const size_t none = graph.edge_types.size();
  const size_t forth = find(
      [&type](const std::string& rel) { return rel == "rev_" + type.rel; });
  const size_t back = find(
      [&type](const std::string& rel) { return type.rel == "rev_" + rel; });
  if (forth != none) return forth;
  if (back != none) return back;
  return type.src == type.dst ? t : none;
}

void Induce(const MemoryGraphSpec& graph, const ExpectedNodeTypes& nodes,
            ExpectedEdgeTypes& edge_types) {
  for (auto& [t, edges] : edge_types) {
    const auto& type = graph.edge_types[t];
    const ExpectedNodes& src = nodes.at(type.src);
    const ExpectedNodes& dst = nodes.at(type.dst);
    edges.src.clear(), edges.dst.clear(), edges.ids.clear();
    for (size_t v = 0; v < dst.all.size(); ++v) {
      for (const auto& [u, e] : edges.adjacency[dst.all[v].id]) {
        const auto found = src.local.find({dst.all[v].tree, u});
        if (found == src.local.end()) continue;
        edges.src.push_back(static_cast<int32_t>(found->second));
        edges.dst.push_back(static_cast<int32_t>(v));
        edges.ids.push_back(e);
      }
    }
  }
}

void Mirror(const MemoryGraphSpec& graph, ExpectedEdgeTypes& edge_types) {
  const ExpectedEdgeTypes drawn = edge_types;
  for (auto& [t, edges] : edge_types) {
    // (destination, source) -> (whether mirrored, edge id): the least counts.
    using Ends = std::pair<int32_t, int32_t>;
    std::map<Ends, std::pair<bool, int64_t>> kept;
    const auto add = [&kept](Ends ends, bool mirrored, int64_t id) {
      auto& edge = kept.emplace(ends, std::pair(mirrored, id)).first->second;
      edge = std::min(edge, std::pair(mirrored, id));
    };
    for (size_t i = 0; i < edges.ids.size(); ++i) {
      add({edges.dst[i], edges.src[i]}, false, edges.ids[i]);
    }
    const auto back = drawn.find(ReverseOf(graph, drawn, t));
    for (size_t i = 0; back != drawn.end() && i < back->second.ids.size();
         ++i) {
      const ExpectedEdges& from = back->second;
      add({from.src[i], from.dst[i]}, true, from.ids[i]);
    }
    edges.src.clear(), edges.dst.clear(), edges.ids.clear();
    for (const auto& [ends, edge] : kept) {
      edges.dst.push_back(ends.first);
      edges.src.push_back(ends.second);
      edges.ids.push_back(edge.second);
    }
  }
}

}  // namespace tributary
