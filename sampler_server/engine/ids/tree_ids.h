// Encodes the nodes of disjoint trees as single numbers.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_TREE_IDS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_TREE_IDS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// Encodes node v of a type with n nodes as v + n * tree, so that the same node
// in two trees is two nodes of the batch. Immutable.
class TreeIds {
 public:
  explicit TreeIds(uint64_t num_nodes) : num_nodes_(num_nodes) {}

  // Returns whether the ids of `trees` trees fit 63 bits.
  static bool Fit(uint64_t num_nodes, uint64_t trees) {
    return num_nodes == 0 ||
           trees <= std::numeric_limits<int64_t>::max() / num_nodes;
  }

  uint64_t Id(uint32_t tree, uint64_t node) const {
    return node + num_nodes_ * tree;
  }
  uint32_t Tree(uint64_t id) const {
    return static_cast<uint32_t>(id / num_nodes_);
  }
  uint64_t Node(uint64_t id) const { return id % num_nodes_; }

  // Returns the numbers of ids[from], ids[from + 1], ... within their trees,
  // each counted from 0 in the order of `ids`. Requires trees below `trees`.
  std::vector<uint32_t> NumbersWithin(absl::Span<const uint64_t> ids,
                                      size_t from, size_t trees) const {
    std::vector<uint32_t> next(trees, 0), numbers;
    numbers.reserve(ids.size() - from);
    for (size_t i = 0; i < from; ++i) ++next[Tree(ids[i])];
    for (size_t i = from; i < ids.size(); ++i) {
      numbers.push_back(next[Tree(ids[i])]++);
    }
    return numbers;
  }

 private:
  const uint64_t num_nodes_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_TREE_IDS_H_
