// Differentiable operations over segments of edges, without a tensor [edges,
// F]: the messages of a layer are gathered and reduced in one pass.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_OPS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_OPS_H_

#include <ATen/core/Tensor.h>

#include "trainer_client/torch/nn/segment/segments.h"

namespace tributary {

// All operations: on a CPU, for float and double, kernels of our own, whose
// results and gradients are equal to the bit in each run and for any number of
// threads. On other devices and for other types, compositions of ATen's
// operators (see segment_compositions.h). bfloat16 and float16 are computed in
// float32; results and gradients have the inputs' type, rounded once. First
// derivatives only. They throw c10::Error for shapes that disagree.

// Return [segments, F]: sum, mean or maximum over each segment's edges of the
// rows x[src]. x is [num_src, F]. A segment without edges gives 0. The gradient
// of a maximum goes to the first edge that has it.
at::Tensor SegmentSum(const at::Tensor& x, const Segments& segments);
at::Tensor SegmentMean(const at::Tensor& x, const Segments& segments);
at::Tensor SegmentMax(const at::Tensor& x, const Segments& segments);

// Returns the sums of weights[e] * x[src[e]]. Either weights [edges] and x
// [num_src, F], or a weight for each head: weights [edges, H] and x [num_src,
// H, C]. The result is [segments, F] or [segments, H, C], of x's type; float32
// weights may have half precision x, and the reverse.
at::Tensor SegmentWeightedSum(const at::Tensor& x, const at::Tensor& weights,
                              const Segments& segments);

// Returns [edges, H]: src[source of e] + dst[segment of e], of src [num_src, H]
// and dst [segments, H].
at::Tensor EndSums(const at::Tensor& src, const at::Tensor& dst,
                   const Segments& segments);

// Returns the softmax of scores [edges] or [edges, H] over each segment's
// edges.
at::Tensor SegmentSoftmax(const at::Tensor& scores, const Segments& segments);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_OPS_H_
