#include "trainer_client/torch/nn/conv/gat_conv.h"

#include <ATen/ATen.h>

#include "trainer_client/torch/nn/conv/glorot.h"
#include "trainer_client/torch/nn/dropout/keyed_dropout.h"
#include "trainer_client/torch/nn/segment/segment_ops.h"
#include "trainer_client/torch/nn/segment/self_loops.h"

namespace tributary {
namespace {

torch::nn::Linear GlorotLinear(int64_t in, int64_t out) {
  torch::nn::Linear linear(torch::nn::LinearOptions(in, out).bias(false));
  linear->weight.set_data(Glorot({out, in}));
  return linear;
}

}  // namespace

GatConv::GatConv(const ConvChannels& channels, const GatConvOptions& options)
    : channels_(channels), options_(options) {
  TORCH_CHECK(!(channels.bipartite && options.add_self_loops),
              "self loops between nodes of different types");
  const int64_t width = options.heads * channels.out;
  lin_src_ = register_module(channels.bipartite ? "lin_src" : "lin",
                             GlorotLinear(channels.in_src, width));
  lin_dst_ =
      channels.bipartite
          ? register_module("lin_dst", GlorotLinear(channels.in_dst, width))
          : lin_src_;
  att_src_ =
      register_parameter("att_src", Glorot({1, options.heads, channels.out}));
  att_dst_ =
      register_parameter("att_dst", Glorot({1, options.heads, channels.out}));
  bias_ = register_parameter(
      "bias", at::zeros({options.concat ? width : channels.out}));
}

// x W^T att in the order x (W^T att), which makes no [rows, heads, out].
at::Tensor GatConv::Attention(const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& att) const {
  const at::Tensor by_head =
      weight.view({options_.heads, channels_.out, x.size(1)});
  const at::Tensor direction =
      (by_head * att.squeeze(0).unsqueeze(2)).sum(1);  // [heads, in]
  return at::linear(x, direction);
}

at::Tensor GatConv::Forward(const ConvInput& input) {
  const Segments segments =
      options_.add_self_loops ? WithSelfLoops(input.segments) : input.segments;
  const at::Tensor scores = at::leaky_relu(
      EndSums(Attention(input.x_src, lin_src_->weight, att_src_),
              Attention(input.x_dst, lin_dst_->weight, att_dst_), segments),
      options_.negative_slope);
  const at::Tensor attention =
      KeyedDropout(SegmentSoftmax(scores, segments), options_.dropout,
                   is_training(), input.draw_key);
  const at::Tensor messages =
      lin_src_->forward(input.x_src)
          .view({input.x_src.size(0), options_.heads, channels_.out});
  const at::Tensor sum = SegmentWeightedSum(messages, attention, segments);
  return (options_.concat ? sum.flatten(1) : sum.mean(1)) + bias_;
}

}  // namespace tributary
