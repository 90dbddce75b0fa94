#include "trainer_client/torch/nn/graph_sage.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include <tuple>

namespace tributary {
namespace {

constexpr int64_t kMean = 1;  // embedding_bag's mode "mean"

at::Tensor Int32Tensor(const std::vector<int32_t>& values,
                       const c10::Device& device) {
  at::Tensor t = at::empty({static_cast<int64_t>(values.size())}, at::kInt);
  std::copy(values.begin(), values.end(), t.mutable_data_ptr<int32_t>());
  return t.to(device);
}

// Gathers and averages in one pass, without a tensor [edges, F].
at::Tensor MeanOfNeighbours(const at::Tensor& x, const TorchBlock& block) {
  return std::get<0>(at::embedding_bag(
      x, block.src, block.indptr, /*scale_grad_by_freq=*/false, kMean,
      /*sparse=*/false, /*per_sample_weights=*/{},
      /*include_last_offset=*/true));
}

}  // namespace

TorchBlock TorchBlock::From(const CsrBlock& block, const c10::Device& device) {
  return {block.num_src, block.num_dst, Int32Tensor(block.indptr, device),
          Int32Tensor(block.src, device)};
}

SageConvImpl::SageConvImpl(int64_t in_channels, int64_t out_channels) {
  lin_l_ =
      register_module("lin_l", torch::nn::Linear(in_channels, out_channels));
  lin_r_ = register_module(
      "lin_r",
      torch::nn::Linear(
          torch::nn::LinearOptions(in_channels, out_channels).bias(false)));
}

at::Tensor SageConvImpl::forward(const at::Tensor& x, const TorchBlock& block) {
  const at::Tensor neighbours = MeanOfNeighbours(x, block);
  return lin_l_->forward(neighbours) +
         lin_r_->forward(x.slice(0, 0, block.num_dst));
}

GraphSageImpl::GraphSageImpl(const GraphSageOptions& options)
    : options_(options) {
  torch::nn::ModuleList convs;
  for (int layer = 0; layer < options.num_layers; ++layer) {
    const int64_t in =
        layer == 0 ? options.in_channels : options.hidden_channels;
    const int64_t out = layer + 1 == options.num_layers
                            ? options.out_channels
                            : options.hidden_channels;
    convs_.push_back(SageConv(in, out));
    convs->push_back(convs_.back());
  }
  register_module("convs", convs);
}

at::Tensor GraphSageImpl::forward(at::Tensor x,
                                  const std::vector<TorchBlock>& blocks) {
  TORCH_CHECK(blocks.size() == convs_.size(), "a model of ", convs_.size(),
              " layers was given a batch of ", blocks.size(), " hops");
  x = at::dropout(x, options_.input_dropout, is_training());
  for (size_t layer = 0; layer < convs_.size(); ++layer) {
    x = convs_[layer]->forward(x.slice(0, 0, blocks[layer].num_src),
                               blocks[layer]);
    if (layer + 1 == convs_.size()) break;
    x = at::dropout(at::relu(x), options_.dropout, is_training());
  }
  return x;
}

}  // namespace tributary
