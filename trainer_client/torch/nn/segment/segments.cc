#include "trainer_client/torch/nn/segment/segments.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tributary {

namespace {

// Without branches, so that it becomes vector code: negative numbers are large
// unsigned ones.
bool AllBelow(const int32_t* numbers, int64_t count, int64_t limit) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, static_cast<uint32_t>(numbers[i]));
  }
  return count == 0 || largest < limit;
}

void CheckEdges(const at::Tensor& indptr, const at::Tensor& src,
                int64_t num_src) {
  const int32_t* ends = indptr.const_data_ptr<int32_t>();
  const int64_t segments = indptr.numel() - 1;
  TORCH_CHECK(ends[0] == 0 && ends[segments] == src.numel(), "indptr is from ",
              ends[0], " to ", ends[segments], ", allowed: 0 to ", src.numel());
  for (int64_t v = 0; v < segments; ++v) {
    TORCH_CHECK(ends[v] <= ends[v + 1], "indptr decreases at ", v);
  }
  const int32_t* rows = src.const_data_ptr<int32_t>();
  if (AllBelow(rows, src.numel(), num_src)) return;
  for (int64_t e = 0; e < src.numel(); ++e) {
    TORCH_CHECK(rows[e] >= 0 && rows[e] < num_src, "edge ", e, " reads row ",
                rows[e], ", allowed: 0 to ", num_src - 1);
  }
}

TransposedSegments Transpose(const at::Tensor& indptr, const at::Tensor& src,
                             int64_t num_src) {
  TransposedSegments t{at::zeros({num_src + 1}, at::kInt),
                       at::empty({src.numel()}, at::kInt),
                       at::empty({src.numel()}, at::kInt)};
  const int32_t* ends = indptr.const_data_ptr<int32_t>();
  const int32_t* rows = src.const_data_ptr<int32_t>();
  auto* out_ends = t.indptr.mutable_data_ptr<int32_t>();
  auto* dst = t.dst.mutable_data_ptr<int32_t>();
  auto* edge = t.edge.mutable_data_ptr<int32_t>();
  for (int64_t e = 0; e < src.numel(); ++e) ++out_ends[rows[e] + 1];
  for (int64_t u = 0; u < num_src; ++u) out_ends[u + 1] += out_ends[u];
  std::vector<int32_t> next(out_ends, out_ends + num_src);
  const auto segments = static_cast<int32_t>(indptr.numel() - 1);
  for (int32_t v = 0; v < segments; ++v) {
    for (int32_t e = ends[v]; e < ends[v + 1]; ++e) {
      const int32_t at = next[rows[e]]++;
      dst[at] = v;
      edge[at] = e;
    }
  }
  return t;
}

}  // namespace

Segments::Segments(const at::Tensor& indptr, const at::Tensor& src,
                   int64_t num_src)
    : shared_(c10::make_intrusive<Shared>()) {
  TORCH_CHECK(indptr.dim() == 1 && indptr.numel() > 0 && src.dim() == 1,
              "indptr of shape ", indptr.sizes(), " and src of shape ",
              src.sizes(), ", allowed: [segments + 1] and [edges]");
  TORCH_CHECK(indptr.scalar_type() == at::kInt && src.scalar_type() == at::kInt,
              "indptr is ", indptr.scalar_type(), " and src is ",
              src.scalar_type(), ", allowed: int32");
  shared_->indptr = indptr.contiguous();
  shared_->src = src.contiguous();
  shared_->num_src = num_src;
  if (on_cpu()) CheckEdges(shared_->indptr, shared_->src, num_src);
}

Segments::Segments(c10::intrusive_ptr<torch::CustomClassHolder> capsule)
    : shared_(c10::static_intrusive_pointer_cast<Shared>(std::move(capsule))) {}

c10::intrusive_ptr<torch::CustomClassHolder> Segments::capsule() const {
  return shared_;
}

int64_t Segments::num_segments() const { return shared_->indptr.numel() - 1; }
int64_t Segments::num_edges() const { return shared_->src.numel(); }
int64_t Segments::num_src() const { return shared_->num_src; }
const at::Tensor& Segments::indptr() const { return shared_->indptr; }
const at::Tensor& Segments::src() const { return shared_->src; }
bool Segments::on_cpu() const { return shared_->indptr.is_cpu(); }

const at::Tensor& Segments::EdgeCounts() const {
  at::Tensor& counts = shared_->edge_counts;
  if (!counts.defined()) counts = shared_->indptr.to(at::kLong).diff();
  return counts;
}

const at::Tensor& Segments::EdgeSegment() const {
  at::Tensor& segment = shared_->edge_segment;
  if (!segment.defined()) {
    segment = at::repeat_interleave(EdgeCounts(),
                                    std::optional<int64_t>(num_edges()));
  }
  return segment;
}

const TransposedSegments& Segments::Transposed() const {
  TORCH_CHECK(on_cpu(), "segments are transposed on a CPU only");
  TransposedSegments& t = shared_->transposed;
  if (!t.indptr.defined()) t = Transpose(indptr(), src(), num_src());
  return t;
}

}  // namespace tributary
