// The loops of the segment operations, for several instruction sets. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNELS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNELS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// Edges grouped by row: row i has the edges [indptr[i], indptr[i + 1]), and
// edge k reads row index[k] of the input.
struct SegmentRows {
  const int32_t* indptr = nullptr;
  const int32_t* index = nullptr;
  int64_t num_edges = 0;
};

// out[i, h, :] = sum over the edges k of row i of weight(k, h) * x[index[k], h,
// :], added in the order of the edges. A row without edges is 0.
template <typename T>
struct GatherSumArgs {
  SegmentRows rows;
  int64_t heads = 1;
  int64_t columns = 0;         // of each head
  const T* x = nullptr;        // [*, heads, columns]
  const T* weights = nullptr;  // [*, heads]; null: 1
  // [edges]: the row of weights that belongs to edge k; null: row k.
  const int32_t* weight_row = nullptr;
  bool mean = false;  // divides each row by its number of edges
  T* out = nullptr;   // [rows, heads, columns]
};

// out[i, c] = maximum over the edges k of row i of x[index[k], c], and arg[i,
// c] = the first edge that has it. A row without edges is 0, its arg -1. A NaN
// is larger than any number.
template <typename T>
struct GatherMaxArgs {
  SegmentRows rows;
  int64_t columns = 0;
  const T* x = nullptr;  // [*, columns]
  T* out = nullptr;      // [rows, columns]
  int32_t* arg = nullptr;
};

// The derivative of GatherMaxArgs: out[u, c] = sum over the edges k of row u of
// (arg[index[k], c] == edge[k] ? g[index[k], c] : 0).
template <typename T>
struct MaxGradArgs {
  SegmentRows rows;               // transposed: rows are sources
  const int32_t* edge = nullptr;  // [edges]: the edge's number in `arg`
  int64_t columns = 0;
  const T* g = nullptr;          // [*, columns]
  const int32_t* arg = nullptr;  // [*, columns]
  T* out = nullptr;              // [rows, columns]
};

// dots[k, h] = x[index[k], h, :] . g[i, h, :] for each edge k of row i: the
// derivative of GatherSumArgs by its weights.
template <typename T>
struct EdgeDotArgs {
  SegmentRows rows;
  int64_t heads = 1;
  int64_t columns = 0;
  const T* x = nullptr;  // [*, heads, columns]
  const T* g = nullptr;  // [rows, heads, columns]
  T* dots = nullptr;     // [edges, heads]
};

// The kernels of one instruction set. Each computes the rows [begin, end), so
// that threads may share the rows; results do not depend on how they do. All
// instruction sets give equal bits: none contracts a product and a sum, and
// each adds in the same order.
template <typename T>
struct SegmentKernels {
  const char* name = nullptr;
  void (*gather_sum)(const GatherSumArgs<T>&, int64_t begin, int64_t end);
  void (*gather_max)(const GatherMaxArgs<T>&, int64_t begin, int64_t end);
  void (*max_grad)(const MaxGradArgs<T>&, int64_t begin, int64_t end);
  void (*edge_dot)(const EdgeDotArgs<T>&, int64_t begin, int64_t end);
};

// Returns the instruction sets that this machine has, the fastest last. T is
// float or double.
template <typename T>
absl::Span<const SegmentKernels<T>> SegmentKernelPaths();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNELS_H_
