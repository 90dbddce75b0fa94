#include "trainer_client/torch/nn/segment/self_loops.h"

#include <ATen/ATen.h>

namespace tributary {
namespace {

Segments SelfLoopsOnCpu(const Segments& s) {
  const int64_t n = s.num_segments();
  const int32_t* ends = s.indptr().const_data_ptr<int32_t>();
  const int32_t* rows = s.src().const_data_ptr<int32_t>();
  at::Tensor indptr = at::empty({n + 1}, at::kInt);
  at::Tensor src = at::empty({s.num_edges() + n}, at::kInt);
  auto* out_ends = indptr.mutable_data_ptr<int32_t>();
  auto* out = src.mutable_data_ptr<int32_t>();
  int32_t at = 0;
  out_ends[0] = 0;
  for (int32_t v = 0; v < n; ++v) {
    for (int32_t e = ends[v]; e < ends[v + 1]; ++e) {
      if (rows[e] != v) out[at++] = rows[e];
    }
    out[at++] = v;
    out_ends[v + 1] = at;
  }
  return {indptr, src.slice(0, 0, at), s.num_src()};
}

}  // namespace

Segments WithSelfLoops(const Segments& segments) {
  TORCH_CHECK(segments.num_segments() <= segments.num_src(), "self loops of ",
              segments.num_segments(), " nodes, of which ", segments.num_src(),
              " are read");
  return segments.on_cpu() ? SelfLoopsOnCpu(segments)
                           : ComposedSelfLoops(segments);
}

Segments ComposedSelfLoops(const Segments& s) {
  const at::Tensor nodes =
      at::arange(s.num_segments(), s.EdgeSegment().options());
  const at::Tensor src = s.src().to(at::kLong);
  const at::Tensor kept = src != s.EdgeSegment();
  const at::Tensor dst = at::cat({s.EdgeSegment().masked_select(kept), nodes});
  const at::Tensor order =
      at::argsort(dst, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const at::Tensor counts = at::bincount(dst, {}, s.num_segments());
  const at::Tensor zero = at::zeros({1}, counts.options());
  return {at::cat({zero, counts.cumsum(0)}).to(at::kInt),
          at::cat({src.masked_select(kept), nodes})
              .index_select(0, order)
              .to(at::kInt),
          s.num_src()};
}

}  // namespace tributary
