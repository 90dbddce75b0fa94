// GraphSAGE with mean aggregation (Hamilton, Ying, Leskovec: Inductive
// Representation Learning on Large Graphs, 2017).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_SAGE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_SAGE_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <vector>

#include "trainer_client/torch/tensors/csr_block.h"

namespace tributary {

// A CsrBlock on a model's device. Its tensors own their memory.
struct TorchBlock {
  int64_t num_src = 0;
  int64_t num_dst = 0;
  at::Tensor indptr;  // int32 [num_dst + 1]
  at::Tensor src;     // int32 [edges]

  static TorchBlock From(const CsrBlock& block, const c10::Device& device);
};

// One layer: out = lin_l(mean of the in-neighbours) + lin_r(self), PyG's
// SAGEConv with its defaults. A node without neighbours has mean 0.
class SageConvImpl : public torch::nn::Module {
 public:
  SageConvImpl(int64_t in_channels, int64_t out_channels);
  // Maps x [num_src, in] to [num_dst, out]. On a CPU the bits are equal in each
  // run.
  at::Tensor forward(const at::Tensor& x, const TorchBlock& block);

 private:
  torch::nn::Linear lin_l_{nullptr};
  torch::nn::Linear lin_r_{nullptr};
};
TORCH_MODULE(SageConv);

struct GraphSageOptions {
  int64_t in_channels = 0;
  int64_t hidden_channels = 0;
  int64_t out_channels = 0;
  int num_layers = 2;
  double dropout = 0;        // after each ReLU
  double input_dropout = 0;  // of the features
};

// The model: SageConv, ReLU, dropout, ..., SageConv. Parameters have the names
// of PyG's GraphSAGE ("convs.0.lin_l.weight"). Used by one thread; throws what
// LibTorch throws.
class GraphSageImpl : public torch::nn::Module {
 public:
  explicit GraphSageImpl(const GraphSageOptions& options);
  // Maps x [nodes, in] to [inputs, out]. `blocks` has one block per layer.
  at::Tensor forward(at::Tensor x, const std::vector<TorchBlock>& blocks);

 private:
  const GraphSageOptions options_;
  std::vector<SageConv> convs_;
};
TORCH_MODULE(GraphSage);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_SAGE_H_
