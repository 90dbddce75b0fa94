#include "trainer_client/torch/nn/graph_sage.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include <algorithm>

#include "trainer_client/torch/nn/first_rows.h"

namespace tributary {
namespace {

at::Tensor Int32Tensor(const std::vector<int32_t>& values,
                       const c10::Device& device) {
  at::Tensor t = at::empty({static_cast<int64_t>(values.size())}, at::kInt);
  std::copy(values.begin(), values.end(), t.mutable_data_ptr<int32_t>());
  return t.to(device);
}

}  // namespace

TorchBlock TorchBlock::From(const CsrBlock& block, const c10::Device& device) {
  return {block.num_src, block.num_dst, Int32Tensor(block.indptr, device),
          Int32Tensor(block.src, device)};
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
    convs_.push_back(std::make_shared<SageConv>(
        ConvChannels{.in_src = in, .in_dst = in, .out = out}));
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
    const TorchBlock& block = blocks[layer];
    x = FirstRows(x, block.num_src);
    x = convs_[layer]->Forward(
        {.x_src = x,
         .x_dst = FirstRows(x, block.num_dst),
         .segments = Segments(block.indptr, block.src, block.num_src)});
    if (layer + 1 == convs_.size()) break;
    x = at::dropout(at::relu(x), options_.dropout, is_training());
  }
  return x;
}

}  // namespace tributary
