// Graph attention (Velickovic et al.: Graph Attention Networks, 2018).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GAT_CONV_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GAT_CONV_H_

#include <torch/nn/modules/linear.h>

#include "trainer_client/torch/nn/conv/relation_conv.h"

namespace tributary {

// PyG's arguments, with its defaults.
struct GatConvOptions {
  int64_t heads = 1;
  bool concat = true;  // rows of heads x out; otherwise the mean over the heads
  double negative_slope = 0.2;
  double dropout = 0;          // of the attention coefficients
  bool add_self_loops = true;  // allowed only unless bipartite
};

// PyG's GATConv, where ConvChannels::out is the size of a head. Parameters:
// lin.weight (bipartite: lin_src.weight, lin_dst.weight), att_src and att_dst
// [1, heads, out], bias.
class GatConv : public RelationConv {
 public:
  GatConv(const ConvChannels& channels, const GatConvOptions& options);
  at::Tensor Forward(const ConvInput& input) override;

 private:
  // The part of the attention that one end's rows have: [rows, heads].
  at::Tensor Attention(const at::Tensor& x, const at::Tensor& weight,
                       const at::Tensor& att) const;

  const ConvChannels channels_;
  const GatConvOptions options_;
  torch::nn::Linear lin_src_{nullptr};  // both ends', unless bipartite
  torch::nn::Linear lin_dst_{nullptr};
  at::Tensor att_src_;
  at::Tensor att_dst_;
  at::Tensor bias_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GAT_CONV_H_
