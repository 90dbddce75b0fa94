// The nodes and edges of a batch while ExpectedDigest builds it.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_NODES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_NODES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

// A node of a tree. Batches that are not disjoint have tree 0 only.
struct ExpectedNode {
  int64_t tree = 0, id = 0;
  friend auto operator<=>(const ExpectedNode&, const ExpectedNode&) = default;
};

// The nodes of one type, numbered in order of first occurrence.
struct ExpectedNodes {
  std::vector<ExpectedNode> all;  // by local number
  std::vector<uint32_t> in_tree;  // each node's number within its tree
  std::map<ExpectedNode, uint32_t> local;
  std::map<int64_t, uint32_t> tree_sizes;
  std::vector<int64_t> per_hop;
  size_t begin = 0, end = 0;  // frontier

  // Returns the node's local number; gives it the next one if it has none.
  uint32_t Number(ExpectedNode node) {
    auto [it, fresh] = local.emplace(node, static_cast<uint32_t>(all.size()));
    if (fresh) {
      all.push_back(node);
      in_tree.push_back(tree_sizes[node.tree]++);
    }
    return it->second;
  }
};

// The sampled edges of one type, and the type's adjacency in the graph.
struct ExpectedEdges {
  std::vector<int32_t> src, dst;
  std::vector<int64_t> ids;
  // 1 / (number of edges sampled for the same node in the same hop).
  std::vector<float> weights;
  std::vector<int64_t> per_hop;
  std::vector<int32_t> fanouts;
  // destination -> (source, edge id), ascending
  using Lists = std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>>;
  Lists adjacency;
  Lists out_adjacency;  // source -> (destination, edge id), ascending
};

// The sampled types: node types by name; edge types by number, in canonical
// order.
using ExpectedNodeTypes = std::map<std::string, ExpectedNodes>;
using ExpectedEdgeTypes = std::map<size_t, ExpectedEdges>;

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_NODES_H_
