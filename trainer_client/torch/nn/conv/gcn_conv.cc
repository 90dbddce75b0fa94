#include "trainer_client/torch/nn/conv/gcn_conv.h"

#include <ATen/ATen.h>

#include "trainer_client/torch/nn/conv/glorot.h"
#include "trainer_client/torch/nn/segment/segment_ops.h"

namespace tributary {

GcnConv::GcnConv(const ConvChannels& channels, GcnNorm norm) : norm_(norm) {
  lin_ = register_module(
      "lin",
      torch::nn::Linear(
          torch::nn::LinearOptions(channels.in_src, channels.out).bias(false)));
  lin_->weight.set_data(Glorot(lin_->weight.sizes()));
  bias_ = register_parameter("bias", at::zeros({channels.out}));
}

at::Tensor GcnConv::Forward(const ConvInput& input) {
  const auto aggregate = [&] {
    switch (norm_) {
      case GcnNorm::kBoth:
        return SymmetricSum(input);
      case GcnNorm::kBothBipartite:
        return BipartiteSum(input);
      case GcnNorm::kRight:
        break;
    }
    return SegmentMean(input.x_src, input.segments);
  };
  return lin_->forward(aggregate()) + bias_;
}

at::Tensor GcnConv::BipartiteSum(const ConvInput& input) {
  const Segments& segments = input.segments;
  TORCH_CHECK(input.in_degree.defined() && input.out_degree.defined(),
              "GCN's norm \"both\" needs batches with in-degrees and "
              "out-degrees of all nodes");
  // Half precision would round degrees.
  const at::ScalarType type =
      at::promote_types(input.x_src.scalar_type(), at::kFloat);
  const at::Tensor of_src =
      input.out_degree.slice(0, 0, segments.num_src()).to(type).rsqrt();
  const at::Tensor sampled = segments.EdgeCounts().clamp_min(1).to(type);
  // (d / k) / sqrt(d)
  const at::Tensor of_dst =
      input.in_degree.slice(0, 0, segments.num_segments()).to(type).sqrt() /
      sampled;
  // Only rows with edges are read, so no degree is 0.
  const at::Tensor weights = of_src.index_select(0, segments.src()) *
                             of_dst.index_select(0, segments.EdgeSegment());
  return SegmentWeightedSum(input.x_src, weights, segments);
}

at::Tensor GcnConv::SymmetricSum(const ConvInput& input) {
  const Segments& segments = input.segments;
  TORCH_CHECK(input.in_degree.defined() &&
                  input.in_degree.size(0) >= segments.num_src(),
              "GCN's norm \"both\" needs batches with in-degrees of all nodes");
  // Half precision would round degrees.
  const at::ScalarType type =
      at::promote_types(input.x_src.scalar_type(), at::kFloat);
  const at::Tensor degree =
      input.in_degree.slice(0, 0, segments.num_src()).to(type);
  const at::Tensor degree_dst = degree.slice(0, 0, segments.num_segments());
  const at::Tensor of_src = (degree + 1).rsqrt();
  const at::Tensor sampled = segments.EdgeCounts().clamp_min(1).to(type);
  const at::Tensor of_dst = degree_dst / sampled * (degree_dst + 1).rsqrt();
  const at::Tensor weights = of_src.index_select(0, segments.src()) *
                             of_dst.index_select(0, segments.EdgeSegment());
  return SegmentWeightedSum(input.x_src, weights, segments) +
         input.x_dst / (degree_dst + 1).unsqueeze(1);
}

}  // namespace tributary
