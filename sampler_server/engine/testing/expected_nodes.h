// The nodes and edges of a batch while the oracle makes it.
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

// In a batch that is not disjoint all nodes are in tree 0.
struct OracleNode {
  int64_t tree = 0, id = 0;
  friend auto operator<=>(const OracleNode&, const OracleNode&) = default;
};

struct OracleNodes {
  std::vector<OracleNode> all;    // by local number
  std::vector<uint32_t> in_tree;  // its number within its tree
  std::map<OracleNode, uint32_t> local;
  std::map<int64_t, uint32_t> tree_sizes;
  std::vector<int64_t> per_hop;
  size_t begin = 0, end = 0;  // frontier

  uint32_t Number(OracleNode node) {
    auto [it, fresh] = local.emplace(node, static_cast<uint32_t>(all.size()));
    if (fresh) {
      all.push_back(node);
      in_tree.push_back(tree_sizes[node.tree]++);
    }
    return it->second;
  }
};

struct OracleEdges {
  std::vector<int32_t> src, dst;
  std::vector<int64_t> ids;
  std::vector<float> weights;  // 1 / edges of the same node in the same hop
  std::vector<int64_t> per_hop;
  std::vector<int32_t> fanouts;
  // destination -> (source, edge id), ascending
  using Lists = std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>>;
  Lists adjacency;
  Lists out_adjacency;  // source -> (destination, edge id), ascending
};

// Of the types that are sampled: by name; by number, in canonical order.
using OracleNodeTypes = std::map<std::string, OracleNodes>;
using OracleEdgeTypes = std::map<size_t, OracleEdges>;

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_NODES_H_
