#include "trainer_client/torch/nn/conv/sage_conv.h"

#include <ATen/ATen.h>

#include "trainer_client/torch/nn/segment/segment_ops.h"

namespace tributary {

SageConv::SageConv(const ConvChannels& channels, SageAggregation aggr)
    : aggr_(aggr) {
  lin_l_ = register_module("lin_l",
                           torch::nn::Linear(channels.in_src, channels.out));
  lin_r_ = register_module(
      "lin_r",
      torch::nn::Linear(
          torch::nn::LinearOptions(channels.in_dst, channels.out).bias(false)));
}

at::Tensor SageConv::Forward(const ConvInput& input) {
  const at::Tensor neighbours = aggr_ == SageAggregation::kMean
                                    ? SegmentMean(input.x_src, input.segments)
                                    : SegmentMax(input.x_src, input.segments);
  return lin_l_->forward(neighbours) + lin_r_->forward(input.x_dst);
}

}  // namespace tributary
