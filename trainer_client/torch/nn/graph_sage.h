// GraphSAGE with mean aggregation (Hamilton, Ying, Leskovec: Inductive
// Representation Learning on Large Graphs, 2017).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_SAGE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_SAGE_H_

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer_client/torch/nn/conv/sage_conv.h"
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

struct GraphSageOptions {
  int64_t in_channels = 0;
  int64_t hidden_channels = 0;
  int64_t out_channels = 0;
  int num_layers = 2;
  double dropout = 0;        // after each ReLU
  double input_dropout = 0;  // of the features
};

// The model over TorchBlocks; MakeModel() makes the one over MiniBatch.
// SageConv, ReLU, dropout, ..., SageConv. Parameters have the names of PyG's
// GraphSAGE ("convs.0.lin_l.weight"). Used by one thread; throws what LibTorch
// throws.
class GraphSageImpl : public torch::nn::Module {
 public:
  explicit GraphSageImpl(const GraphSageOptions& options);
  // Maps x [nodes, in] to [inputs, out]. `blocks` has one block per layer.
  at::Tensor forward(at::Tensor x, const std::vector<TorchBlock>& blocks);

 private:
  const GraphSageOptions options_;
  std::vector<std::shared_ptr<SageConv>> convs_;
};
TORCH_MODULE(GraphSage);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_SAGE_H_
