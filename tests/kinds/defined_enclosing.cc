#include "tests/kinds/defined_enclosing.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tributary {
namespace {

using Edges = std::vector<std::pair<int32_t, int32_t>>;

// Returns whether the type holds the links' edges, in either direction.
bool HoldsLinks(const MemoryGraphSpec::EdgeType& type,
                const MemoryGraphSpec::EdgeType& links) {
  return &type == &links ||
         (type.reverse != links.reverse &&
          (type.rel == "rev_" + links.rel || links.rel == "rev_" + type.rel));
}

// Returns the local numbers of a link's ends.
std::pair<int32_t, int32_t> EndsOf(const ExpectedNodes& nodes,
                                   const LinkColumns& links, size_t link) {
  const auto tree = static_cast<int64_t>(link);
  return {
      static_cast<int32_t>(nodes.local.at({tree, links.source[link]})),
      static_cast<int32_t>(nodes.local.at({tree, links.destination[link]}))};
}

// Returns the distances from a node in the graph without another node, by
// relaxing all edges until nothing changes.
std::map<int32_t, int64_t> Distances(const Edges& edges, int32_t from,
                                     int32_t without) {
  std::map<int32_t, int64_t> distance = {{from, 0}};
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [a, b] : edges) {
      for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
        if (distance.count(a) == 0 || b == without) continue;
        const int64_t by_a = distance[a] + 1;
        if (distance.count(b) > 0 && distance[b] <= by_a) continue;
        distance[b] = by_a;
        changed = true;
      }
    }
  }
  return distance;
}

// Removes the links' own edges. Returns the remaining edges of all types.
Edges DropLinks(const MemoryGraphSpec& graph,
                const MemoryGraphSpec::EdgeType& type, const LinkColumns& links,
                const ExpectedNodes& nodes, ExpectedEdgeTypes& edge_types) {
  Edges all;
  for (auto& [t, edges] : edge_types) {
    ExpectedEdges kept;
    for (size_t e = 0; e < edges.ids.size(); ++e) {
      const int32_t u = edges.src[e], v = edges.dst[e];
      const auto [s, d] =
          EndsOf(nodes, links, static_cast<size_t>(nodes.all[v].tree));
      const bool own = (u == s && v == d) || (u == d && v == s);
      if (own && HoldsLinks(graph.edge_types[t], type)) continue;
      kept.src.push_back(u);
      kept.dst.push_back(v);
      kept.ids.push_back(edges.ids[e]);
      all.emplace_back(u, v);
    }
    edges.src = kept.src;
    edges.dst = kept.dst;
    edges.ids = kept.ids;
  }
  return all;
}

}  // namespace

ExpectedTensors EncloseDefined(const MemoryGraphSpec& graph,
                               const MemoryGraphSpec::EdgeType& type,
                               const LinkColumns& links,
                               const ExpectedNodeTypes& node_types,
                               ExpectedEdgeTypes& edge_types) {
  const ExpectedNodes& nodes = node_types.at(type.src);
  const Edges all = DropLinks(graph, type, links, nodes, edge_types);
  std::vector<int64_t> z(nodes.all.size(), 0);
  for (size_t link = 0; link < links.size(); ++link) {
    const auto [s, d] = EndsOf(nodes, links, link);
    std::map<int32_t, int64_t> x = Distances(all, s, d);
    std::map<int32_t, int64_t> y = Distances(all, d, s);
    for (const auto& [node, away] : x) {
      if (y.count(node) == 0) continue;
      const int64_t sum = away + y[node];
      z[node] =
          1 + std::min(away, y[node]) + (sum / 2) * (sum / 2 + sum % 2 - 1);
    }
    z[s] = z[d] = 1;
  }
  const std::string name = graph.heterogeneous ? "z/" + type.src : "z";
  return {{name, MakeExpectedTensor(DType::kInt64, {z.size()}, z)}};
}

}  // namespace tributary
