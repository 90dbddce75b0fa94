// The code of the segment kernels, compiled once for each instruction set.
// Calls no function of the standard library: the linker could choose the copy
// of another instruction set.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_BODY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_BODY_H_

#include <cstdint>

#include "common/io/prefetch.h"
#include "trainer_client/torch/nn/segment/segment_kernels.h"

namespace tributary {

// Isa is a type of the including file alone, which keeps the instantiations
// apart.
template <typename Isa, typename T>
class SegmentKernelBody {
 public:
  static void GatherSum(const GatherSumArgs<T>& a, int64_t begin, int64_t end) {
    if (a.weights == nullptr) {
      GatherRows<false>(a, begin, end);
    } else {
      GatherRows<true>(a, begin, end);
    }
  }

  static void GatherMax(const GatherMaxArgs<T>& a, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* out = a.out + i * a.columns;
      int32_t* arg = a.arg + i * a.columns;
      const int32_t first = a.rows.indptr[i];
      const int32_t last = a.rows.indptr[i + 1];
      if (first == last) {
        Zero(out, a.columns);
        Fill(arg, a.columns, -1);
        continue;
      }
      Copy(a.x + a.rows.index[first] * a.columns, a.columns, out);
      Fill(arg, a.columns, first);
      for (int32_t k = first + 1; k < last; ++k) {
        Prefetch(a.rows, a.x, k, a.columns);
        MaxRow(a.x + a.rows.index[k] * a.columns, k, a.columns, out, arg);
      }
    }
  }

  static void MaxGrad(const MaxGradArgs<T>& a, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* out = a.out + i * a.columns;
      Zero(out, a.columns);
      for (int32_t k = a.rows.indptr[i]; k < a.rows.indptr[i + 1]; ++k) {
        const int64_t from = a.rows.index[k] * a.columns;
        MaxGradRow(a.g + from, a.arg + from, a.edge[k], a.columns, out);
      }
    }
  }

  static void EdgeDot(const EdgeDotArgs<T>& a, int64_t begin, int64_t end) {
    const int64_t width = a.heads * a.columns;
    for (int64_t i = begin; i < end; ++i) {
      for (int32_t k = a.rows.indptr[i]; k < a.rows.indptr[i + 1]; ++k) {
        Prefetch(a.rows, a.x, k, width);
        const T* x = a.x + a.rows.index[k] * width;
        for (int64_t h = 0; h < a.heads; ++h) {
          a.dots[k * a.heads + h] = Dot(
              x + h * a.columns, a.g + i * width + h * a.columns, a.columns);
        }
      }
    }
  }

 private:
  static constexpr int32_t kPrefetchDistance = 6;        // edges
  static constexpr int32_t kBlockPrefetchDistance = 16;  // edges
  static constexpr int kLanes = 16;

  // A vector of columns at any address.
  static constexpr int kVecBytes = 32;
  static constexpr int64_t kVec = kVecBytes / sizeof(T);
  using Vec
      __attribute__((vector_size(kVecBytes), aligned(sizeof(T)), may_alias)) =
          T;

  struct Range {
    int32_t first, last;
  };

  // Fetches the row that is read kPrefetchDistance edges after edge k.
  static void Prefetch(const SegmentRows& rows, const T* x, int32_t k,
                       int64_t width) {
    if (k + kPrefetchDistance >= rows.num_edges) return;
    const auto* row = reinterpret_cast<const char*>(
        x + rows.index[k + kPrefetchDistance] * width);
    PrefetchBytes(row, static_cast<size_t>(width) * sizeof(T));
  }

  static void PrefetchBlock(const GatherSumArgs<T>& a, int32_t k, int64_t c,
                            int64_t columns) {
    if (k + kBlockPrefetchDistance >= a.rows.num_edges) return;
    const auto* block =
        reinterpret_cast<const char*>(Row(a, k + kBlockPrefetchDistance) + c);
    PrefetchBytes(block, static_cast<size_t>(columns) * sizeof(T));
  }

  static void MaxRow(const T* __restrict row, int32_t k, int64_t columns,
                     T* __restrict out, int32_t* __restrict arg) {
    for (int64_t c = 0; c < columns; ++c) {
      const T value = row[c];
      // Without branches, so that it becomes vector code.
      const bool larger = (value > out[c]) | (value != value);
      out[c] = larger ? value : out[c];
      arg[c] = larger ? k : arg[c];
    }
  }

  static void MaxGradRow(const T* __restrict g, const int32_t* __restrict arg,
                         int32_t edge, int64_t columns, T* __restrict out) {
    for (int64_t c = 0; c < columns; ++c) {
      out[c] += arg[c] == edge ? g[c] : T{0};
    }
  }

  static T Dot(const T* __restrict x, const T* __restrict g, int64_t columns) {
    T lanes[kLanes] = {};
    int64_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) {
      for (int l = 0; l < kLanes; ++l) lanes[l] += x[c + l] * g[c + l];
    }
    for (int l = 0; c < columns; ++c, ++l) lanes[l] += x[c] * g[c];
    T sum = 0;
    for (int l = 0; l < kLanes; ++l) sum += lanes[l];
    return sum;
  }

  template <bool kWeighted>
  static void GatherRows(const GatherSumArgs<T>& a, int64_t begin,
                         int64_t end) {
    const int64_t width = a.heads * a.columns;
    for (int64_t i = begin; i < end; ++i) {
      T* out = a.out + i * width;
      const Range edges{a.rows.indptr[i], a.rows.indptr[i + 1]};
      if (edges.first == edges.last) {
        Zero(out, width);
        continue;
      }
      for (int64_t h = 0; h < a.heads; ++h)
        GatherHead<kWeighted>(a, edges, h, out);
      if (a.mean) Divide(out, width, edges.last - edges.first);
    }
  }

  template <bool kWeighted>
  static void GatherHead(const GatherSumArgs<T>& a, Range edges, int64_t head,
                         T* out) {
    int64_t c = head * a.columns;
    const int64_t end = c + a.columns;
    for (; c + 8 * kVec <= end; c += 8 * kVec) {
      GatherBlock<kWeighted, 8>(a, edges, head, c, out);
    }
    for (; c + 2 * kVec <= end; c += 2 * kVec) {
      GatherBlock<kWeighted, 2>(a, edges, head, c, out);
    }
    for (; c < end; ++c) {
      T sum = 0;
      for (int32_t k = edges.first; k < edges.last; ++k) {
        const T value = Row(a, k)[c];
        const T term = kWeighted ? value * Weight(a, k, head) : value;
        sum = k == edges.first ? term : sum + term;
      }
      out[c] = sum;
    }
  }

  // Sums N vectors of columns from c, which stay in registers meanwhile.
  template <bool kWeighted, int N>
  static void GatherBlock(const GatherSumArgs<T>& a, Range edges, int64_t head,
                          int64_t c, T* out) {
    Vec sums[N];
    Terms<kWeighted, N>(a, edges.first, head, c,
                        [&](int n, Vec term) { sums[n] = term; });
    for (int32_t k = edges.first + 1; k < edges.last; ++k) {
      Terms<kWeighted, N>(a, k, head, c,
                          [&](int n, Vec term) { sums[n] += term; });
    }
    auto* to = reinterpret_cast<Vec*>(out + c);
    for (int n = 0; n < N; ++n) to[n] = sums[n];
  }

  // Calls add(n, term) for the N vectors of edge k.
  template <bool kWeighted, int N, typename Add>
  static void Terms(const GatherSumArgs<T>& a, int32_t k, int64_t head,
                    int64_t c, Add add) {
    PrefetchBlock(a, k, c, N * kVec);
    const auto* row = reinterpret_cast<const Vec*>(Row(a, k) + c);
    if constexpr (kWeighted) {
      const T weight = Weight(a, k, head);
      for (int n = 0; n < N; ++n) add(n, row[n] * weight);
    } else {
      for (int n = 0; n < N; ++n) add(n, row[n]);
    }
  }

  static const T* Row(const GatherSumArgs<T>& a, int32_t k) {
    return a.x + a.rows.index[k] * a.heads * a.columns;
  }
  static T Weight(const GatherSumArgs<T>& a, int32_t k, int64_t head) {
    const int64_t row = a.weight_row != nullptr ? a.weight_row[k] : k;
    return a.weights[row * a.heads + head];
  }

  static void Zero(T* out, int64_t width) {
    for (int64_t c = 0; c < width; ++c) out[c] = 0;
  }

  static void Fill(int32_t* out, int64_t width, int32_t value) {
    for (int64_t c = 0; c < width; ++c) out[c] = value;
  }

  static void Copy(const T* __restrict from, int64_t width, T* __restrict out) {
    for (int64_t c = 0; c < width; ++c) out[c] = from[c];
  }

  static void Divide(T* out, int64_t width, int32_t by) {
    const T factor = T{1} / static_cast<T>(by);
    for (int64_t c = 0; c < width; ++c) out[c] *= factor;
  }
};

// The table of the kernels.
template <typename Isa, typename T>
constexpr SegmentKernels<T> MakeSegmentKernels(const char* name) {
  using Body = SegmentKernelBody<Isa, T>;
  return {name, Body::GatherSum, Body::GatherMax, Body::MaxGrad, Body::EdgeDot};
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_BODY_H_
