#include "trainer_client/torch/nn/conv/relation_groups.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace tributary {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

at::Tensor TensorOf(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

// Calls f(relation, first pair, last pair) for each group.
template <typename F>
void ForEachGroup(const std::vector<int64_t>& relation,
                  const std::vector<int64_t>& begin, F&& f) {
  for (size_t g = 0; g < relation.size(); ++g) {
    f(relation[g], begin[g], begin[g + 1]);
  }
}

// A product for each group of rows. ATen's slices and products would put some
// ten operators for each relation into the graph of derivatives.
class GroupedProduct : public Function<GroupedProduct> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            const at::Tensor& weights,
                            const std::vector<int64_t>& relation,
                            const std::vector<int64_t>& begin) {
    ctx->save_for_backward({x, weights});
    ctx->saved_data["relation"] = relation;
    ctx->saved_data["begin"] = begin;
    at::Tensor out = at::empty({x.size(0), weights.size(2)}, x.options());
    ForEachGroup(relation, begin, [&](int64_t r, int64_t from, int64_t to) {
      at::Tensor rows = out.slice(0, from, to);
      at::mm_out(rows, x.slice(0, from, to), weights.select(0, r));
    });
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "products by relation have no second derivatives");
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weights = saved[1];
    const at::Tensor grad = grads[0].contiguous();
    const at::Tensor grad_x = at::empty_like(x);
    const at::Tensor grad_weights = at::zeros_like(weights);
    ForEachGroup(ctx->saved_data["relation"].toIntVector(),
                 ctx->saved_data["begin"].toIntVector(),
                 [&](int64_t r, int64_t from, int64_t to) {
                   const at::Tensor g = grad.slice(0, from, to);
                   at::Tensor gx = grad_x.slice(0, from, to);
                   at::mm_out(gx, g, weights.select(0, r).t());
                   at::Tensor gw = grad_weights.select(0, r);
                   at::mm_out(gw, x.slice(0, from, to).t(), g);
                 });
    return {grad_x, grad_weights, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

struct RelationGroups::Made {
  std::vector<int64_t> relation, begin;
  Segments sources, pairs;
};

RelationGroups::RelationGroups(const std::vector<RelationEdges>& relations,
                               int64_t num_src, int64_t num_dst)
    : RelationGroups(Make(relations, num_src, num_dst)) {}

RelationGroups::RelationGroups(Made made)
    : relation_(std::move(made.relation)),
      begin_(std::move(made.begin)),
      sources_(std::move(made.sources)),
      pairs_(std::move(made.pairs)) {}

RelationGroups::Made RelationGroups::Make(
    const std::vector<RelationEdges>& relations, int64_t num_src,
    int64_t num_dst) {
  std::vector<int64_t> relation, begin{0};
  std::vector<int32_t> indptr{0}, src, destination;
  for (const RelationEdges& edges : relations) {
    TORCH_CHECK(edges.indptr.numel() == num_dst + 1, "indptr of ",
                edges.indptr.numel(), ", allowed: ", num_dst + 1);
    const int32_t* ends = edges.indptr.const_data_ptr<int32_t>();
    const int32_t* rows = edges.src.const_data_ptr<int32_t>();
    for (int64_t v = 0; v < num_dst; ++v) {
      if (ends[v] == ends[v + 1]) continue;
      for (int32_t e = ends[v]; e < ends[v + 1]; ++e) {
        src.push_back(static_cast<int32_t>(rows[e] + edges.first_row));
      }
      indptr.push_back(static_cast<int32_t>(src.size()));
      destination.push_back(static_cast<int32_t>(v));
    }
    relation.push_back(edges.relation);
    begin.push_back(static_cast<int64_t>(destination.size()));
  }
  std::vector<int32_t> by_dst(num_dst + 1, 0), pair(destination.size());
  for (const int32_t v : destination) ++by_dst[v + 1];
  for (int64_t v = 0; v < num_dst; ++v) by_dst[v + 1] += by_dst[v];
  std::vector<int32_t> next(by_dst.begin(), by_dst.end() - 1);
  for (size_t p = 0; p < destination.size(); ++p) {
    pair[next[destination[p]]++] = static_cast<int32_t>(p);
  }
  const auto num_pairs = static_cast<int64_t>(destination.size());
  return {std::move(relation), std::move(begin),
          Segments(TensorOf(indptr), TensorOf(src), num_src),
          Segments(TensorOf(by_dst), TensorOf(pair), num_pairs)};
}

at::Tensor RelationGroups::Multiply(const at::Tensor& x,
                                    const at::Tensor& weights) const {
  // Autocast does not look into a Function, nor at products with a result that
  // is given.
  if (!at::autocast::is_autocast_enabled(at::kCPU)) {
    return GroupedProduct::apply(x, weights, relation_, begin_);
  }
  const at::ScalarType type = at::autocast::get_autocast_dtype(at::kCPU);
  return GroupedProduct::apply(x.to(type), weights.to(type), relation_, begin_);
}

}  // namespace tributary
