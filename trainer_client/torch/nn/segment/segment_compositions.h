// The segment operations as compositions of ATen's operators, for any device
// and any floating type. They make a tensor [edges, F]. On CUDA, sums may
// differ in their last bits from run to run (index_add).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_COMPOSITIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_COMPOSITIONS_H_

#include <ATen/core/Tensor.h>

#include "trainer_client/torch/nn/segment/segments.h"

namespace tributary {

// As the functions of segment_ops.h, but the gradient of a maximum is shared by
// all edges that have it.
at::Tensor ComposedSegmentSum(const at::Tensor& x, const Segments& segments);
at::Tensor ComposedSegmentMean(const at::Tensor& x, const Segments& segments);
at::Tensor ComposedSegmentMax(const at::Tensor& x, const Segments& segments);
at::Tensor ComposedSegmentWeightedSum(const at::Tensor& x,
                                      const at::Tensor& weights,
                                      const Segments& segments);
at::Tensor ComposedEndSums(const at::Tensor& src, const at::Tensor& dst,
                           const Segments& segments);
at::Tensor ComposedSegmentSoftmax(const at::Tensor& scores,
                                  const Segments& segments);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_COMPOSITIONS_H_
