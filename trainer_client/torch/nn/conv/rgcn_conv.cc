#include "trainer_client/torch/nn/conv/rgcn_conv.h"

#include <ATen/ATen.h>

#include "trainer_client/torch/nn/conv/glorot.h"
#include "trainer_client/torch/nn/segment/segment_ops.h"

namespace tributary {

RgcnConv::RgcnConv(const RgcnConvOptions& options) {
  const int64_t in = options.in_channels;
  const int64_t out = options.out_channels;
  const bool bases = options.num_bases > 0;
  weight_ = register_parameter(
      "weight",
      Glorot({bases ? options.num_bases : options.num_relations, in, out}));
  if (bases) {
    comp_ = register_parameter(
        "comp", Glorot({options.num_relations, options.num_bases}));
  }
  root_ = register_parameter("root", Glorot({in, out}));
  bias_ = register_parameter("bias", at::zeros({out}));
}

at::Tensor RgcnConv::RelationWeights() const {
  if (!comp_.defined()) return weight_;
  return comp_.matmul(weight_.flatten(1))
      .view({comp_.size(0), weight_.size(1), weight_.size(2)});
}

at::Tensor RgcnConv::Messages(const at::Tensor& x_src, const Segments& segments,
                              const at::Tensor& relation_weight) const {
  return SegmentMean(x_src, segments).matmul(relation_weight);
}

at::Tensor RgcnConv::Messages(const at::Tensor& x, const RelationGroups& groups,
                              const at::Tensor& relation_weights) const {
  const at::Tensor means = SegmentMean(x, groups.sources());
  return SegmentSum(groups.Multiply(means, relation_weights), groups.pairs());
}

at::Tensor RgcnConv::SelfLoop(const at::Tensor& x_dst) const {
  return at::addmm(bias_, x_dst, root_);
}

}  // namespace tributary
