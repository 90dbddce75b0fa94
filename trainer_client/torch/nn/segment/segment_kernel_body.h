// The code of the segment kernels, compiled once for each instruction set.
// Calls no function of the standard library: the linker could choose the copy
// of another instruction set.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_BODY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_BODY_H_

#include <cstdint>

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
  static constexpr int kRowsAtOnce = 6;
  static constexpr int32_t kPrefetchDistance = 6;  // edges
  static constexpr int64_t kCacheLine = 64;
  static constexpr int kLanes = 16;

  // Fetches the row that is read kPrefetchDistance edges after edge k.
  static void Prefetch(const SegmentRows& rows, const T* x, int32_t k,
                       int64_t width) {
    if (k + kPrefetchDistance >= rows.num_edges) return;
    const auto* row = reinterpret_cast<const char*>(
        x + rows.index[k + kPrefetchDistance] * width);
    const int64_t bytes = width * static_cast<int64_t>(sizeof(T));
    for (int64_t b = 0; b < bytes; b += kCacheLine) {
      __builtin_prefetch(row + b);
    }
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
      const int32_t first = a.rows.indptr[i];
      const int32_t last = a.rows.indptr[i + 1];
      if (first == last) Zero(out, width);
      for (int32_t k = first; k < last; k += kRowsAtOnce) {
        const bool start = k == first;
        switch (last - k) {
          case 1:
            AddRows<kWeighted, 1>(a, k, start, out);
            break;
          case 2:
            AddRows<kWeighted, 2>(a, k, start, out);
            break;
          case 3:
            AddRows<kWeighted, 3>(a, k, start, out);
            break;
          case 4:
            AddRows<kWeighted, 4>(a, k, start, out);
            break;
          case 5:
            AddRows<kWeighted, 5>(a, k, start, out);
            break;
          default:
            AddRows<kWeighted, kRowsAtOnce>(a, k, start, out);
        }
      }
      if (a.mean && last - first > 1) Divide(out, width, last - first);
    }
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

  // Adds the rows of N edges from k to `out`, or sets it to their sum.
  template <bool kWeighted, int N>
  static void AddRows(const GatherSumArgs<T>& a, int32_t k, bool start,
                      T* out) {
    const int64_t width = a.heads * a.columns;
    const T* rows[N];
    for (int n = 0; n < N; ++n) {
      Prefetch(a.rows, a.x, k + n, width);
      rows[n] = a.x + a.rows.index[k + n] * width;
    }
    for (int64_t h = 0; h < a.heads; ++h) {
      T weights[N];
      if constexpr (kWeighted) {
        for (int n = 0; n < N; ++n) {
          const int64_t at = a.weight_row ? a.weight_row[k + n] : k + n;
          weights[n] = a.weights[at * a.heads + h];
        }
      }
      if (start) {
        AddColumns<kWeighted, N, true>(rows, weights, h * a.columns, a.columns,
                                       out);
      } else {
        AddColumns<kWeighted, N, false>(rows, weights, h * a.columns, a.columns,
                                        out);
      }
    }
  }

  template <bool kWeighted, int N, bool kStart>
  static void AddColumns(const T* const* rows, const T* weights, int64_t from,
                         int64_t columns, T* all) {
    T* __restrict out = all + from;
    const T* __restrict r0 = rows[0] + from;
    const T* __restrict r1 = rows[N > 1 ? 1 : 0] + from;
    const T* __restrict r2 = rows[N > 2 ? 2 : 0] + from;
    const T* __restrict r3 = rows[N > 3 ? 3 : 0] + from;
    const T* __restrict r4 = rows[N > 4 ? 4 : 0] + from;
    const T* __restrict r5 = rows[N > 5 ? 5 : 0] + from;
    const T w0 = kWeighted ? weights[0] : T{1};
    const T w1 = kWeighted ? weights[N > 1 ? 1 : 0] : T{1};
    const T w2 = kWeighted ? weights[N > 2 ? 2 : 0] : T{1};
    const T w3 = kWeighted ? weights[N > 3 ? 3 : 0] : T{1};
    const T w4 = kWeighted ? weights[N > 4 ? 4 : 0] : T{1};
    const T w5 = kWeighted ? weights[N > 5 ? 5 : 0] : T{1};
    for (int64_t c = 0; c < columns; ++c) {
      T sum = Term<kWeighted>(r0[c], w0);
      if constexpr (!kStart) sum = out[c] + sum;
      if constexpr (N > 1) sum += Term<kWeighted>(r1[c], w1);
      if constexpr (N > 2) sum += Term<kWeighted>(r2[c], w2);
      if constexpr (N > 3) sum += Term<kWeighted>(r3[c], w3);
      if constexpr (N > 4) sum += Term<kWeighted>(r4[c], w4);
      if constexpr (N > 5) sum += Term<kWeighted>(r5[c], w5);
      out[c] = sum;
    }
  }

  template <bool kWeighted>
  static T Term(T value, T weight) {
    if constexpr (kWeighted) return value * weight;
    return value;
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
