// The edges of all relations into one node type, for layers that transform
// messages by relation.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RELATION_GROUPS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RELATION_GROUPS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer_client/torch/nn/segment/segments.h"

namespace tributary {

// The edges of one relation.
struct RelationEdges {
  int64_t relation = 0;
  at::Tensor indptr;      // int32 [num_dst + 1]
  at::Tensor src;         // int32 [edges]
  int64_t first_row = 0;  // of the source type among the rows of all types
};

// Edges of several relations by pairs (relation, destination) that have edges:
// a graph of hundreds of relations has few of them for each destination, so
// that a mean and a product for every destination of every relation would be
// wasted. Pairs are ordered by relation, then by destination. On the CPU.
class RelationGroups {
 public:
  // `num_src` counts the rows of all source types together, `num_dst` the
  // destinations. Relations ascend, each at most once.
  RelationGroups(const std::vector<RelationEdges>& relations, int64_t num_src,
                 int64_t num_dst);

  // The sources of each pair: [pairs] segments of the rows of all types.
  const Segments& sources() const { return sources_; }
  // The pairs of each destination: [num_dst] segments of the pairs.
  const Segments& pairs() const { return pairs_; }

  // Returns [pairs, out]: the rows x, [pairs, in], times the weight of their
  // relation, weights [all relations, in, out]; one product for each relation
  // with pairs. First derivatives only.
  at::Tensor Multiply(const at::Tensor& x, const at::Tensor& weights) const;

 private:
  struct Made;
  explicit RelationGroups(Made made);
  static Made Make(const std::vector<RelationEdges>& relations, int64_t num_src,
                   int64_t num_dst);

  std::vector<int64_t> relation_;  // of the groups
  std::vector<int64_t> begin_;     // their first pairs, and the end
  Segments sources_;
  Segments pairs_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RELATION_GROUPS_H_
