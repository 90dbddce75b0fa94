// The relational graph convolution (Schlichtkrull et al.: Modeling Relational
// Data with Graph Convolutional Networks, 2018).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RGCN_CONV_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RGCN_CONV_H_

#include <torch/nn/module.h>

#include <cstdint>

#include "trainer_client/torch/nn/conv/relation_groups.h"
#include "trainer_client/torch/nn/segment/segments.h"

namespace tributary {

// PyG's arguments.
struct RgcnConvOptions {
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t num_relations = 0;
  int64_t num_bases = 0;  // 0: a weight for each relation
};

// PyG's RGCNConv with mean aggregation, in parts: out_v = sum over the
// relations r of (mean of the in-neighbours by r) W_r + x_v root + bias. With
// bases W_r is the sum over b of comp[r, b] weight[b]. Parameters: weight
// [num_bases or num_relations, in, out], comp [num_relations, num_bases], root
// [in, out], bias.
class RgcnConv : public torch::nn::Module {
 public:
  explicit RgcnConv(const RgcnConvOptions& options);
  // Returns [num_relations, in, out], for Messages().
  at::Tensor RelationWeights() const;
  // Returns [num_dst, out]: the part of one relation. relation_weight is a row
  // of RelationWeights().
  at::Tensor Messages(const at::Tensor& x_src, const Segments& segments,
                      const at::Tensor& relation_weight) const;
  // Returns [num_dst, out]: the parts of all relations of `groups`, on the CPU.
  // x is [rows of all source types, in]. Equal to the sum of the above but for
  // rounding.
  at::Tensor Messages(const at::Tensor& x, const RelationGroups& groups,
                      const at::Tensor& relation_weights) const;
  // Returns [num_dst, out]: the part of the nodes themselves.
  at::Tensor SelfLoop(const at::Tensor& x_dst) const;

 private:
  at::Tensor weight_;
  at::Tensor comp_;  // undefined without bases
  at::Tensor root_;
  at::Tensor bias_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RGCN_CONV_H_
