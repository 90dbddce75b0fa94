// GraphSAGE's layer (Hamilton, Ying, Leskovec: Inductive Representation
// Learning on Large Graphs, 2017).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_SAGE_CONV_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_SAGE_CONV_H_

#include <torch/nn/modules/linear.h>

#include "trainer_client/torch/nn/conv/relation_conv.h"

namespace tributary {

enum class SageAggregation { kMean, kMax };

// out = lin_l(mean or maximum of the in-neighbours) + lin_r(self): PyG's
// SAGEConv(aggr="mean" or "max"), with its parameters lin_l.weight, lin_l.bias,
// lin_r.weight. A node without neighbours aggregates 0.
class SageConv : public RelationConv {
 public:
  explicit SageConv(const ConvChannels& channels,
                    SageAggregation aggr = SageAggregation::kMean);
  at::Tensor Forward(const ConvInput& input) override;

 private:
  const SageAggregation aggr_;
  torch::nn::Linear lin_l_{nullptr};
  torch::nn::Linear lin_r_{nullptr};
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_SAGE_CONV_H_
