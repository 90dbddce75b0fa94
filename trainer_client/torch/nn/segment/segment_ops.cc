#include "trainer_client/torch/nn/segment/segment_ops.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "trainer_client/torch/nn/segment/segment_compositions.h"
#include "trainer_client/torch/nn/segment/segment_kernels.h"

namespace tributary {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// How many multiplications and additions are worth a thread.
constexpr int64_t kGrainWork = int64_t{1} << 16;

bool HasKernels(const at::Tensor& x, const Segments& segments) {
  const at::ScalarType type = x.scalar_type();
  return x.is_cpu() && segments.on_cpu() &&
         (type == at::kFloat || type == at::kDouble);
}

bool IsHalf(const at::Tensor& x) {
  return x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf;
}

// Half precision is computed in float32 and rounded once, at the end, as are
// its gradients: sums in it would lose what comes late.
at::Tensor Wide(const at::Tensor& x) {
  return IsHalf(x) ? x.to(at::kFloat) : x;
}

// Calls f(T{}) with the tensor's type.
template <typename F>
void WithType(const at::Tensor& x, F&& f) {
  if (x.scalar_type() == at::kFloat) {
    f(float{});
  } else {
    f(double{});
  }
}

template <typename T>
const SegmentKernels<T>& Kernels() {
  return SegmentKernelPaths<T>().back();
}

template <typename Args>
void RunRows(void (*kernel)(const Args&, int64_t, int64_t), const Args& args,
             int64_t rows, int64_t width) {
  const int64_t work = (args.rows.num_edges / std::max<int64_t>(rows, 1) + 1) *
                       std::max<int64_t>(width, 1);
  at::parallel_for(
      0, rows, std::max<int64_t>(kGrainWork / work, 1),
      [&](int64_t begin, int64_t end) { kernel(args, begin, end); });
}

SegmentRows BySegment(const Segments& s) {
  return {s.indptr().const_data_ptr<int32_t>(),
          s.src().const_data_ptr<int32_t>(), s.num_edges()};
}

SegmentRows BySource(const Segments& s) {
  const TransposedSegments& t = s.Transposed();
  return {t.indptr.const_data_ptr<int32_t>(), t.dst.const_data_ptr<int32_t>(),
          s.num_edges()};
}

// [rows, heads, columns], contiguous; heads 1 for a matrix.
struct Rows {
  explicit Rows(const at::Tensor& any) : tensor(any.contiguous()) {
    columns = tensor.size(tensor.dim() - 1);
    heads = tensor.dim() == 3 ? tensor.size(1) : 1;
  }
  at::Tensor tensor;
  int64_t heads = 1;
  int64_t columns = 0;
};

at::Tensor EmptyLike(const at::Tensor& x, int64_t rows) {
  std::vector<int64_t> shape = x.sizes().vec();
  shape[0] = rows;
  return at::empty(shape, x.options());
}

struct GatherSumInputs {
  SegmentRows rows;
  at::Tensor x;
  at::Tensor weights;     // or undefined
  at::Tensor weight_row;  // or undefined
  int64_t num_rows = 0;
  bool mean = false;
};

at::Tensor GatherSum(const GatherSumInputs& in) {
  const Rows x(in.x);
  const at::Tensor weights =
      in.weights.defined() ? in.weights.contiguous() : in.weights;
  at::Tensor out = EmptyLike(in.x, in.num_rows);
  WithType(in.x, [&](auto zero) {
    using T = decltype(zero);
    const GatherSumArgs<T> args = {
        .rows = in.rows,
        .heads = x.heads,
        .columns = x.columns,
        .x = x.tensor.const_data_ptr<T>(),
        .weights = weights.defined() ? weights.const_data_ptr<T>() : nullptr,
        .weight_row = in.weight_row.defined()
                          ? in.weight_row.const_data_ptr<int32_t>()
                          : nullptr,
        .mean = in.mean,
        .out = out.mutable_data_ptr<T>()};
    RunRows(Kernels<T>().gather_sum, args, in.num_rows, x.heads * x.columns);
  });
  return out;
}

void RefuseSecondDerivatives() {
  TORCH_CHECK(!at::GradMode::is_enabled(),
              "segment operations have no second derivatives");
}

void SaveSegments(AutogradContext* ctx, const Segments& segments) {
  ctx->saved_data["segments"] = c10::IValue::make_capsule(segments.capsule());
}

Segments SavedSegments(AutogradContext* ctx) {
  return Segments(ctx->saved_data["segments"].toCapsule());
}

class SumFunction : public Function<SumFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            const Segments& segments, bool mean) {
    SaveSegments(ctx, segments);
    ctx->saved_data["mean"] = mean;
    return GatherSum({.rows = BySegment(segments),
                      .x = x,
                      .num_rows = segments.num_segments(),
                      .mean = mean});
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    RefuseSecondDerivatives();
    const Segments segments = SavedSegments(ctx);
    GatherSumInputs in{.rows = BySource(segments),
                       .x = grads[0],
                       .num_rows = segments.num_src()};
    if (ctx->saved_data["mean"].toBool()) {
      in.weights = segments.EdgeCounts()
                       .clamp_min(1)
                       .to(grads[0].scalar_type())
                       .reciprocal();
      in.weight_row = segments.Transposed().dst;
    }
    return {GatherSum(in), at::Tensor(), at::Tensor()};
  }
};

class MaxFunction : public Function<MaxFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            const Segments& segments) {
    SaveSegments(ctx, segments);
    const Rows rows(x);
    const at::Tensor out = EmptyLike(x, segments.num_segments());
    const at::Tensor arg = at::empty(out.sizes(), at::kInt);
    WithType(x, [&](auto zero) {
      using T = decltype(zero);
      const GatherMaxArgs<T> args = {.rows = BySegment(segments),
                                     .columns = rows.columns,
                                     .x = rows.tensor.const_data_ptr<T>(),
                                     .out = out.mutable_data_ptr<T>(),
                                     .arg = arg.mutable_data_ptr<int32_t>()};
      RunRows(Kernels<T>().gather_max, args, segments.num_segments(),
              rows.columns);
    });
    ctx->save_for_backward({arg});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    RefuseSecondDerivatives();
    const Segments segments = SavedSegments(ctx);
    const at::Tensor arg = ctx->get_saved_variables()[0];
    const Rows g(grads[0]);
    const at::Tensor out = EmptyLike(grads[0], segments.num_src());
    WithType(out, [&](auto zero) {
      using T = decltype(zero);
      const MaxGradArgs<T> args = {
          .rows = BySource(segments),
          .edge = segments.Transposed().edge.const_data_ptr<int32_t>(),
          .columns = g.columns,
          .g = g.tensor.const_data_ptr<T>(),
          .arg = arg.const_data_ptr<int32_t>(),
          .out = out.mutable_data_ptr<T>()};
      RunRows(Kernels<T>().max_grad, args, segments.num_src(), g.columns);
    });
    return {out, at::Tensor()};
  }
};

// [edges] or [edges, H]: the derivative of weighted sums by their weights.
at::Tensor EdgeDots(const at::Tensor& x, const at::Tensor& grad,
                    const at::Tensor& weights, const Segments& segments) {
  const Rows rows(x);
  const Rows g(grad);
  const at::Tensor dots = at::empty(weights.sizes(), weights.options());
  WithType(x, [&](auto zero) {
    using T = decltype(zero);
    const EdgeDotArgs<T> args = {.rows = BySegment(segments),
                                 .heads = rows.heads,
                                 .columns = rows.columns,
                                 .x = rows.tensor.const_data_ptr<T>(),
                                 .g = g.tensor.const_data_ptr<T>(),
                                 .dots = dots.mutable_data_ptr<T>()};
    RunRows(Kernels<T>().edge_dot, args, segments.num_segments(),
            rows.heads * rows.columns);
  });
  return dots;
}

class WeightedSumFunction : public Function<WeightedSumFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            const at::Tensor& weights,
                            const Segments& segments) {
    SaveSegments(ctx, segments);
    // x is kept only for the gradient of the weights.
    ctx->save_for_backward(
        {weights.requires_grad() ? x : at::Tensor(), weights});
    return GatherSum({.rows = BySegment(segments),
                      .x = x,
                      .weights = weights,
                      .num_rows = segments.num_segments()});
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    RefuseSecondDerivatives();
    const Segments segments = SavedSegments(ctx);
    const variable_list saved = ctx->get_saved_variables();
    at::Tensor grad_x;
    at::Tensor grad_weights;
    if (ctx->needs_input_grad(0)) {
      grad_x = GatherSum({.rows = BySource(segments),
                          .x = grads[0],
                          .weights = saved[1],
                          .weight_row = segments.Transposed().edge,
                          .num_rows = segments.num_src()});
    }
    if (ctx->needs_input_grad(1)) {
      grad_weights = EdgeDots(saved[0], grads[0], saved[1], segments);
    }
    return {grad_x, grad_weights, at::Tensor()};
  }
};

// Calls f(first edge, last edge) for each segment; edges of several segments at
// the same time.
template <typename F>
void ForEachSegment(const Segments& segments, int64_t heads, F&& f) {
  const int32_t* ends = segments.indptr().const_data_ptr<int32_t>();
  const int64_t n = segments.num_segments();
  const int64_t work =
      (segments.num_edges() / std::max<int64_t>(n, 1) + 1) * heads * 8;
  at::parallel_for(0, n, std::max<int64_t>(kGrainWork / work, 1),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t v = begin; v < end; ++v) {
                       if (ends[v] < ends[v + 1]) f(ends[v], ends[v + 1]);
                     }
                   });
}

// The softmax of one head of one segment; `stride` values between edges.
template <typename T>
void Softmax(const T* scores, T* out, int64_t edges, int64_t stride) {
  T largest = scores[0];
  for (int64_t e = 1; e < edges; ++e) {
    largest = std::max(largest, scores[e * stride]);
  }
  T sum = 0;
  for (int64_t e = 0; e < edges; ++e) {
    sum += out[e * stride] = std::exp(scores[e * stride] - largest);
  }
  for (int64_t e = 0; e < edges; ++e) out[e * stride] /= sum;
}

// out = p * (g - sum of p * g).
template <typename T>
void SoftmaxGrad(const T* p, const T* g, T* out, int64_t edges,
                 int64_t stride) {
  T sum = 0;
  for (int64_t e = 0; e < edges; ++e) sum += p[e * stride] * g[e * stride];
  for (int64_t e = 0; e < edges; ++e) {
    out[e * stride] = p[e * stride] * (g[e * stride] - sum);
  }
}

class SoftmaxFunction : public Function<SoftmaxFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& any,
                            const Segments& segments) {
    SaveSegments(ctx, segments);
    const at::Tensor scores = any.contiguous();
    const at::Tensor out = at::empty(scores.sizes(), scores.options());
    const int64_t heads = scores.dim() == 2 ? scores.size(1) : 1;
    WithType(scores, [&](auto zero) {
      using T = decltype(zero);
      const T* in = scores.const_data_ptr<T>();
      T* to = out.mutable_data_ptr<T>();
      ForEachSegment(segments, heads, [&](int64_t first, int64_t last) {
        for (int64_t h = 0; h < heads; ++h) {
          const int64_t at = first * heads + h;
          Softmax(in + at, to + at, last - first, heads);
        }
      });
    });
    ctx->save_for_backward({out});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    RefuseSecondDerivatives();
    const Segments segments = SavedSegments(ctx);
    const at::Tensor p = ctx->get_saved_variables()[0];
    const at::Tensor g = grads[0].contiguous();
    const at::Tensor out = at::empty(p.sizes(), p.options());
    const int64_t heads = p.dim() == 2 ? p.size(1) : 1;
    WithType(p, [&](auto zero) {
      using T = decltype(zero);
      const T* ps = p.const_data_ptr<T>();
      const T* gs = g.const_data_ptr<T>();
      T* to = out.mutable_data_ptr<T>();
      ForEachSegment(segments, heads, [&](int64_t first, int64_t last) {
        for (int64_t h = 0; h < heads; ++h) {
          const int64_t at = first * heads + h;
          SoftmaxGrad(ps + at, gs + at, to + at, last - first, heads);
        }
      });
    });
    return {out, at::Tensor()};
  }
};

// out[e, :] = src[source of e, :] + dst[segment of e, :].
template <typename T>
void AddEnds(const Segments& segments, int64_t heads, const T* src,
             const T* dst, T* out) {
  const int32_t* sources = segments.src().const_data_ptr<int32_t>();
  const int32_t* ends = segments.indptr().const_data_ptr<int32_t>();
  for (int64_t v = 0; v < segments.num_segments(); ++v) {
    for (int64_t e = ends[v]; e < ends[v + 1]; ++e) {
      const T* from = src + sources[e] * heads;
      for (int64_t h = 0; h < heads; ++h) {
        out[e * heads + h] = from[h] + dst[v * heads + h];
      }
    }
  }
}

class EndSumsFunction : public Function<EndSumsFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& src,
                            const at::Tensor& dst, const Segments& segments) {
    SaveSegments(ctx, segments);
    const Rows from(src);
    const Rows to(dst);
    const at::Tensor out = EmptyLike(src, segments.num_edges());
    WithType(src, [&](auto zero) {
      using T = decltype(zero);
      AddEnds(segments, from.columns, from.tensor.const_data_ptr<T>(),
              to.tensor.const_data_ptr<T>(), out.mutable_data_ptr<T>());
    });
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    RefuseSecondDerivatives();
    const Segments segments = SavedSegments(ctx);
    const TransposedSegments& t = segments.Transposed();
    const at::Tensor edges = at::arange(segments.num_edges(), at::kInt);
    const auto sum = [&](const at::Tensor& indptr, const at::Tensor& edge,
                         int64_t rows) {
      return GatherSum(
          {.rows = {indptr.const_data_ptr<int32_t>(),
                    edge.const_data_ptr<int32_t>(), segments.num_edges()},
           .x = grads[0],
           .num_rows = rows});
    };
    return {sum(t.indptr, t.edge, segments.num_src()),
            sum(segments.indptr(), edges, segments.num_segments()),
            at::Tensor()};
  }
};

void CheckRows(const at::Tensor& x, const Segments& segments) {
  TORCH_CHECK(x.dim() == 2 && x.size(0) == segments.num_src(),
              "x has the shape ", x.sizes(), ", allowed: [", segments.num_src(),
              ", F]");
}

void CheckWeighted(const at::Tensor& x, const at::Tensor& weights,
                   const Segments& segments) {
  const bool heads = x.dim() == 3;
  TORCH_CHECK((x.dim() == 2 || heads) && x.size(0) == segments.num_src() &&
                  weights.dim() == x.dim() - 1 &&
                  weights.size(0) == segments.num_edges() &&
                  (!heads || weights.size(1) == x.size(1)) &&
                  Wide(weights).scalar_type() == Wide(x).scalar_type(),
              "x ", x.sizes(), " ", x.scalar_type(), " and weights ",
              weights.sizes(), " ", weights.scalar_type(), ", allowed: [",
              segments.num_src(), ", F] and [", segments.num_edges(), "], or [",
              segments.num_src(), ", H, C] and [", segments.num_edges(),
              ", H], of one type or of half precision and float32");
}

}  // namespace

at::Tensor SegmentSum(const at::Tensor& x, const Segments& segments) {
  CheckRows(x, segments);
  if (IsHalf(x)) return SegmentSum(Wide(x), segments).to(x.scalar_type());
  if (!HasKernels(x, segments)) return ComposedSegmentSum(x, segments);
  return SumFunction::apply(x, segments, /*mean=*/false);
}

at::Tensor SegmentMean(const at::Tensor& x, const Segments& segments) {
  CheckRows(x, segments);
  if (IsHalf(x)) return SegmentMean(Wide(x), segments).to(x.scalar_type());
  if (!HasKernels(x, segments)) return ComposedSegmentMean(x, segments);
  return SumFunction::apply(x, segments, /*mean=*/true);
}

at::Tensor SegmentMax(const at::Tensor& x, const Segments& segments) {
  CheckRows(x, segments);
  if (IsHalf(x)) return SegmentMax(Wide(x), segments).to(x.scalar_type());
  if (!HasKernels(x, segments)) return ComposedSegmentMax(x, segments);
  return MaxFunction::apply(x, segments);
}

at::Tensor SegmentWeightedSum(const at::Tensor& x, const at::Tensor& weights,
                              const Segments& segments) {
  CheckWeighted(x, weights, segments);
  if (IsHalf(x) || IsHalf(weights)) {
    return SegmentWeightedSum(Wide(x), Wide(weights), segments)
        .to(x.scalar_type());
  }
  if (!HasKernels(x, segments)) {
    return ComposedSegmentWeightedSum(x, weights, segments);
  }
  return WeightedSumFunction::apply(x, weights, segments);
}

at::Tensor EndSums(const at::Tensor& src, const at::Tensor& dst,
                   const Segments& segments) {
  CheckRows(src, segments);
  TORCH_CHECK(dst.dim() == 2 && dst.size(0) == segments.num_segments() &&
                  dst.size(1) == src.size(1) &&
                  dst.scalar_type() == src.scalar_type(),
              "dst has the shape ", dst.sizes(), ", allowed: [",
              segments.num_segments(), ", ", src.size(1), "], of src's type");
  if (IsHalf(src)) {
    return EndSums(Wide(src), Wide(dst), segments).to(src.scalar_type());
  }
  if (!HasKernels(src, segments)) return ComposedEndSums(src, dst, segments);
  return EndSumsFunction::apply(src, dst, segments);
}

at::Tensor SegmentSoftmax(const at::Tensor& scores, const Segments& segments) {
  TORCH_CHECK((scores.dim() == 1 || scores.dim() == 2) &&
                  scores.size(0) == segments.num_edges(),
              "scores have the shape ", scores.sizes(), ", allowed: [",
              segments.num_edges(), "] or [", segments.num_edges(), ", H]");
  if (IsHalf(scores)) {
    return SegmentSoftmax(Wide(scores), segments).to(scores.scalar_type());
  }
  if (!HasKernels(scores, segments)) {
    return ComposedSegmentSoftmax(scores, segments);
  }
  return SoftmaxFunction::apply(scores, segments);
}

}  // namespace tributary
