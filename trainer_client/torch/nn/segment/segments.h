// Edges grouped by destination, as the segment operations read them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENTS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/custom_class.h>

#include <cstdint>

namespace tributary {

// The same edges grouped by source, each group in ascending edge number: the
// order in which gradients are added, whatever the number of threads.
struct TransposedSegments {
  at::Tensor indptr;  // int32 [num_src + 1]
  at::Tensor dst;     // int32 [edges]
  at::Tensor edge;    // int32 [edges], the edge's number in the segments
};

// Edges in CSR: segment v has the edges [indptr[v], indptr[v + 1]), and edge e
// reads row src[e] of an input of num_src rows. Edges may repeat, segments may
// be empty. A cheap handle; copies share what is derived from the edges, which
// is made once. Used by one thread at a time.
class Segments {
 public:
  // Takes int32 tensors [segments + 1] and [edges] on one device. Throws
  // c10::Error if their shapes disagree and, on a CPU, if indptr decreases or a
  // source is not below num_src.
  Segments(const at::Tensor& indptr, const at::Tensor& src, int64_t num_src);

  int64_t num_segments() const;
  int64_t num_edges() const;
  int64_t num_src() const;
  const at::Tensor& indptr() const;
  const at::Tensor& src() const;
  bool on_cpu() const;

  // int64 [edges]: each edge's segment.
  const at::Tensor& EdgeSegment() const;
  // int64 [segments]: the number of edges.
  const at::Tensor& EdgeCounts() const;
  // Requires on_cpu().
  const TransposedSegments& Transposed() const;

  // What copies share, for AutogradContext::saved_data.
  c10::intrusive_ptr<torch::CustomClassHolder> capsule() const;
  explicit Segments(c10::intrusive_ptr<torch::CustomClassHolder> capsule);

 private:
  struct Shared : torch::CustomClassHolder {
    at::Tensor indptr;
    at::Tensor src;
    int64_t num_src = 0;
    // Undefined until they are asked for.
    at::Tensor edge_segment;
    at::Tensor edge_counts;
    TransposedSegments transposed;
  };

  c10::intrusive_ptr<Shared> shared_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENTS_H_
