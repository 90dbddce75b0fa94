#include "trainer_client/torch/nn/segment/segment_compositions.h"

#include <ATen/ATen.h>

#include <vector>

namespace tributary {
namespace {

// Adds rows [edges, ...] to their segments.
at::Tensor Reduce(const at::Tensor& rows, const Segments& segments) {
  std::vector<int64_t> shape = rows.sizes().vec();
  shape[0] = segments.num_segments();
  return at::zeros(shape, rows.options())
      .index_add(0, segments.EdgeSegment(), rows);
}

// The maximum over segments, 0 where there are no edges.
at::Tensor ReduceMax(const at::Tensor& rows, const Segments& segments) {
  std::vector<int64_t> shape = rows.sizes().vec();
  shape[0] = segments.num_segments();
  std::vector<int64_t> ones(rows.dim(), 1);
  ones[0] = segments.num_edges();
  const at::Tensor index =
      segments.EdgeSegment().view(ones).expand(rows.sizes());
  return at::zeros(shape, rows.options())
      .scatter_reduce(0, index, rows, "amax", /*include_self=*/false);
}

at::Tensor Gather(const at::Tensor& x, const Segments& segments) {
  return x.index_select(0, segments.src());
}

}  // namespace

at::Tensor ComposedSegmentSum(const at::Tensor& x, const Segments& segments) {
  return Reduce(Gather(x, segments), segments);
}

at::Tensor ComposedSegmentMean(const at::Tensor& x, const Segments& segments) {
  const at::Tensor counts = segments.EdgeCounts().clamp_min(1).unsqueeze(1);
  return ComposedSegmentSum(x, segments) / counts.to(x.scalar_type());
}

at::Tensor ComposedSegmentMax(const at::Tensor& x, const Segments& segments) {
  return ReduceMax(Gather(x, segments), segments);
}

at::Tensor ComposedSegmentWeightedSum(const at::Tensor& x,
                                      const at::Tensor& weights,
                                      const Segments& segments) {
  return Reduce(Gather(x, segments) * weights.unsqueeze(-1), segments);
}

at::Tensor ComposedEndSums(const at::Tensor& src, const at::Tensor& dst,
                           const Segments& segments) {
  return Gather(src, segments) + dst.index_select(0, segments.EdgeSegment());
}

at::Tensor ComposedSegmentSoftmax(const at::Tensor& scores,
                                  const Segments& segments) {
  const at::Tensor& of = segments.EdgeSegment();
  const at::Tensor largest = ReduceMax(scores.detach(), segments);
  const at::Tensor e = (scores - largest.index_select(0, of)).exp();
  return e / Reduce(e, segments).index_select(0, of);
}

}  // namespace tributary
