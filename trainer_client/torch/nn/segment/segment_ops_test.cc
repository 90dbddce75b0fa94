#include "trainer_client/torch/nn/segment/segment_ops.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "trainer_client/torch/nn/segment/segment_compositions.h"
#include "trainer_client/torch/nn/segment/testing/central_differences.h"

namespace tributary {
namespace {

at::Tensor Ints(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

at::Tensor Noise(at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
  return at::randn(shape, type);
}

// Segments 0 to 4 over 5 rows: a repeated edge, empty segments in the middle
// and at the end, and one longer than what is added at once. Row 4 has no
// edges.
Segments Example() {
  return {Ints({0, 3, 3, 4, 10, 10}), Ints({3, 1, 3, 0, 2, 0, 1, 3, 2, 2}), 5};
}

Segments NoEdges() { return {Ints({0, 0, 0}), Ints({}), 5}; }

// [segments, num_src]: the number of edges.
at::Tensor Dense(const Segments& s) {
  at::Tensor a = at::zeros({s.num_segments(), s.num_src()}, at::kDouble);
  for (int64_t e = 0; e < s.num_edges(); ++e) {
    a[s.EdgeSegment()[e].item<int64_t>()][s.src()[e].item<int64_t>()] += 1;
  }
  return a;
}

at::Tensor DenseMax(const at::Tensor& x, const Segments& s) {
  at::Tensor out = at::zeros({s.num_segments(), x.size(1)}, x.options());
  const at::Tensor a = Dense(s);
  for (int64_t v = 0; v < s.num_segments(); ++v) {
    const at::Tensor rows = x.index({a[v] > 0});
    if (rows.size(0) > 0) out[v] = rows.amax(0);
  }
  return out;
}

// An implementation of all operations.
struct Ops {
  std::string name;
  std::function<at::Tensor(const at::Tensor&, const Segments&)> sum, mean, max;
  std::function<at::Tensor(const at::Tensor&, const at::Tensor&,
                           const Segments&)>
      weighted_sum, end_sums;
  std::function<at::Tensor(const at::Tensor&, const Segments&)> softmax;
};

class SegmentOpsTest : public ::testing::TestWithParam<Ops> {
 protected:
  SegmentOpsTest() { at::manual_seed(3); }

  static void ExpectClose(const at::Tensor& a, const at::Tensor& b) {
    ASSERT_EQ(a.sizes(), b.sizes());
    EXPECT_TRUE(at::allclose(a, b, 0, 1e-12)) << a << b;
  }

  // Compares the gradients of an operation of `inputs`.
  static void ExpectGradients(const std::function<at::Tensor()>& op,
                              const std::vector<at::Tensor>& inputs) {
    for (const at::Tensor& input : inputs) input.set_requires_grad(true);
    const at::Tensor of = Noise(op().sizes());
    EXPECT_LT(LargestGradientError([&] { return (op() * of).sum(); }, inputs),
              1e-8);
  }
};

TEST_P(SegmentOpsTest, EqualDenseAlgebra) {
  for (const Segments& s : {Example(), NoEdges()}) {
    const at::Tensor x = Noise({5, 7});
    const at::Tensor a = Dense(s);
    ExpectClose(GetParam().sum(x, s), a.matmul(x));
    ExpectClose(GetParam().mean(x, s),
                a.matmul(x) / a.sum(1, true).clamp_min(1));
    ExpectClose(GetParam().max(x, s), DenseMax(x, s));
  }
}

TEST_P(SegmentOpsTest, GradientsOfSumMeanAndMax) {
  for (const Segments& s : {Example(), NoEdges()}) {
    const at::Tensor x = Noise({5, 3});
    ExpectGradients([&] { return GetParam().sum(x, s); }, {x});
    ExpectGradients([&] { return GetParam().mean(x, s); }, {x});
    ExpectGradients([&] { return GetParam().max(x, s); }, {x});
  }
}

TEST_P(SegmentOpsTest, WeightedSumsByHeads) {
  const Segments s = Example();
  const at::Tensor x = Noise({5, 2, 18});
  const at::Tensor w = Noise({10, 2});
  at::Tensor expected = at::zeros({5, 2, 18}, at::kDouble);
  for (int64_t e = 0; e < 10; ++e) {
    expected[s.EdgeSegment()[e].item<int64_t>()] +=
        w[e].unsqueeze(1) * x[s.src()[e].item<int64_t>()];
  }
  ExpectClose(GetParam().weighted_sum(x, w, s), expected);
  // One head without a dimension of heads.
  ExpectClose(GetParam().weighted_sum(x.select(1, 1).contiguous(),
                                      w.select(1, 1).contiguous(), s),
              expected.select(1, 1));
}

TEST_P(SegmentOpsTest, GradientsOfWeightedSums) {
  for (const Segments& s : {Example(), NoEdges()}) {
    const at::Tensor x = Noise({5, 2, 3});
    const at::Tensor w = Noise({s.num_edges(), 2});
    ExpectGradients([&] { return GetParam().weighted_sum(x, w, s); }, {x, w});
    const at::Tensor flat = Noise({5, 18});
    const at::Tensor one = Noise({s.num_edges()});
    ExpectGradients([&] { return GetParam().weighted_sum(flat, one, s); },
                    {flat, one});
    const at::Tensor constant = Noise({s.num_edges()});
    ExpectGradients([&] { return GetParam().weighted_sum(flat, constant, s); },
                    {flat});
  }
}

TEST_P(SegmentOpsTest, SoftmaxIsOverEachSegment) {
  const Segments s = Example();
  const at::Tensor scores = Noise({10, 2}) * 5;
  const at::Tensor p = GetParam().softmax(scores, s);
  ExpectClose(p.slice(0, 0, 3), scores.slice(0, 0, 3).softmax(0));
  ExpectClose(p.slice(0, 3, 4), at::ones({1, 2}, at::kDouble));
  ExpectClose(p.slice(0, 4, 10), scores.slice(0, 4, 10).softmax(0));
  const at::Tensor flat = Noise({10});
  ExpectClose(GetParam().softmax(flat, s).slice(0, 4, 10),
              flat.slice(0, 4, 10).softmax(0));
  // exp(1000) is no number of float64.
  ExpectClose(GetParam().softmax(flat + 1000, s), GetParam().softmax(flat, s));
}

TEST_P(SegmentOpsTest, GradientsOfSoftmax) {
  for (const Segments& s : {Example(), NoEdges()}) {
    const at::Tensor two = Noise({s.num_edges(), 2});
    ExpectGradients([&] { return GetParam().softmax(two, s); }, {two});
    const at::Tensor one = Noise({s.num_edges()});
    ExpectGradients([&] { return GetParam().softmax(one, s); }, {one});
  }
}

TEST_P(SegmentOpsTest, EndSumsAndTheirGradients) {
  for (const Segments& s : {Example(), NoEdges()}) {
    const at::Tensor src = Noise({5, 2});
    const at::Tensor dst = Noise({s.num_segments(), 2});
    const at::Tensor sums = GetParam().end_sums(src, dst, s);
    ASSERT_EQ(sums.sizes(), (at::IntArrayRef{s.num_edges(), 2}));
    for (int64_t e = 0; e < s.num_edges(); ++e) {
      ExpectClose(sums[e], src[s.src()[e].item<int64_t>()] +
                               dst[s.EdgeSegment()[e].item<int64_t>()]);
    }
    ExpectGradients([&] { return GetParam().end_sums(src, dst, s); },
                    {src, dst});
  }
}

TEST_P(SegmentOpsTest, OfInputsThatAreNotContiguous) {
  const Segments s = Example();
  const at::Tensor wide = Noise({7, 5});
  ExpectClose(GetParam().sum(wide.t(), s), Dense(s).matmul(wide.t()));
}

INSTANTIATE_TEST_SUITE_P(
    All, SegmentOpsTest,
    ::testing::Values(Ops{"kernels", SegmentSum, SegmentMean, SegmentMax,
                          SegmentWeightedSum, EndSums, SegmentSoftmax},
                      Ops{"compositions", ComposedSegmentSum,
                          ComposedSegmentMean, ComposedSegmentMax,
                          ComposedSegmentWeightedSum, ComposedEndSums,
                          ComposedSegmentSoftmax}),
    [](const auto& info) { return info.param.name; });

// 3000 segments of 0 to 9 edges over 2000 rows.
Segments Large() {
  const at::Tensor counts = at::randint(10, {3000}, at::kInt);
  const at::Tensor indptr =
      at::cat({at::zeros({1}, at::kInt), counts.cumsum(0)}).to(at::kInt);
  const int64_t edges = indptr[3000].item<int64_t>();
  return {indptr, at::randint(2000, {edges}, at::kInt), 2000};
}

TEST(SegmentKernelOpsTest, FloatEqualsDoubleToRounding) {
  at::manual_seed(5);
  const Segments s = Large();
  const at::Tensor x = Noise({2000, 33}, at::kFloat);
  EXPECT_TRUE(at::allclose(SegmentMean(x, s).to(at::kDouble),
                           ComposedSegmentMean(x.to(at::kDouble), s), 0, 1e-6));
  EXPECT_TRUE(at::equal(SegmentMax(x, s), ComposedSegmentMax(x, s)));
}

// The operations on half precision, and their gradients, are those on the same
// numbers in double, rounded once: by 2^-8 (bfloat16) at most.
class HalfPrecisionTest : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  using Op = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

  HalfPrecisionTest() { at::manual_seed(5); }

  static void ExpectRounded(const at::Tensor& half, const at::Tensor& exact,
                            at::ScalarType type) {
    EXPECT_EQ(half.scalar_type(), type);
    EXPECT_TRUE(
        at::allclose(half.to(at::kDouble), exact, 1.0 / 256 + 1e-6, 1e-6));
  }

  // `inputs` of any precision; the result has the type of the first.
  static void ExpectRoundedOnce(const Op& op,
                                const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> leaves, exact;
    for (const at::Tensor& input : inputs) {
      leaves.push_back(input.detach().clone().requires_grad_());
      exact.push_back(input.detach().to(at::kDouble).requires_grad_());
    }
    const at::Tensor out = op(leaves);
    const at::Tensor expected = op(exact);
    ExpectRounded(out.detach(), expected.detach(), inputs[0].scalar_type());
    const at::Tensor g = Noise(out.sizes(), inputs[0].scalar_type());
    out.backward(g);
    expected.backward(g.to(at::kDouble));
    for (size_t i = 0; i < inputs.size(); ++i) {
      ExpectRounded(leaves[i].grad(), exact[i].grad(), inputs[i].scalar_type());
    }
  }
};

TEST_P(HalfPrecisionTest, SumMeanAndMax) {
  const Segments s = Large();
  const at::Tensor x = Noise({2000, 6}, GetParam());
  for (const auto& op : {SegmentSum, SegmentMean, SegmentMax}) {
    ExpectRoundedOnce([&](const auto& in) { return op(in[0], s); }, {x});
  }
}

TEST_P(HalfPrecisionTest, WeightedSumsWithWeightsOfEitherPrecision) {
  const Segments s = Large();
  const at::Tensor x = Noise({2000, 2, 3}, GetParam());
  const at::Tensor w = Noise({s.num_edges(), 2}, at::kFloat);
  const auto op = [&](const auto& in) {
    return SegmentWeightedSum(in[0], in[1], s);
  };
  ExpectRoundedOnce(op, {x, w.to(GetParam())});
  const at::Tensor out = SegmentWeightedSum(x, w, s);
  ExpectRounded(out,
                SegmentWeightedSum(x.to(at::kDouble), w.to(at::kDouble), s),
                GetParam());
  EXPECT_EQ(
      SegmentWeightedSum(x.to(at::kFloat), w.to(GetParam()), s).scalar_type(),
      at::kFloat);
  EXPECT_THROW(SegmentWeightedSum(x, w.to(at::kDouble), s), c10::Error);
}

TEST_P(HalfPrecisionTest, SoftmaxAndEndSums) {
  const Segments s = Large();
  const at::Tensor scores = Noise({s.num_edges(), 2}, GetParam());
  const at::Tensor ends =
      EndSums(Noise({2000, 2}, GetParam()), Noise({3000, 2}, GetParam()), s);
  EXPECT_EQ(ends.scalar_type(), GetParam());
  ExpectRoundedOnce(
      [&](const auto& in) { return EndSums(in[0], in[1], s); },
      {Noise({2000, 2}, GetParam()), Noise({3000, 2}, GetParam())});
  const at::Tensor p = SegmentSoftmax(scores, s);
  ExpectRounded(p, SegmentSoftmax(scores.to(at::kDouble), s), GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, HalfPrecisionTest,
                         ::testing::Values(at::kBFloat16, at::kHalf));

TEST(SegmentKernelOpsTest, NumberOfThreadsChangesNoBit) {
  at::manual_seed(5);
  const Segments s = Large();
  const at::Tensor x = Noise({2000, 4, 16}, at::kFloat).requires_grad_();
  const at::Tensor scores = Noise({s.num_edges(), 4}, at::kFloat);
  const at::Tensor g = Noise({3000, 4, 16}, at::kFloat);
  const int threads = at::get_num_threads();
  std::vector<at::Tensor> first;
  for (const int n : {1, 2, 3}) {
    at::set_num_threads(n);
    x.mutable_grad().reset();
    const at::Tensor leaf = scores.clone().requires_grad_();
    const at::Tensor out = SegmentWeightedSum(x, SegmentSoftmax(leaf, s), s);
    (out * g).sum().backward();
    SegmentMax(x.flatten(1), s).square().sum().backward();
    const std::vector<at::Tensor> results = {out, x.grad(), leaf.grad()};
    if (n == 1) first = results;
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(at::equal(results[i], first[i])) << n << " threads, " << i;
    }
  }
  at::set_num_threads(threads);
}

TEST(SegmentKernelOpsTest, RefusesOtherShapesAndSecondDerivatives) {
  const Segments s = Example();
  EXPECT_THROW(SegmentSum(Noise({4, 2}), s), c10::Error);
  EXPECT_THROW(SegmentWeightedSum(Noise({5, 2}), Noise({10, 2}), s),
               c10::Error);
  EXPECT_THROW(SegmentWeightedSum(Noise({5, 3, 2}), Noise({10, 2}), s),
               c10::Error);
  EXPECT_THROW(SegmentSoftmax(Noise({9}), s), c10::Error);
  const at::Tensor x = Noise({5, 2}).requires_grad_();
  EXPECT_THROW(SegmentSum(x, s).sum().backward({}, /*retain_graph=*/true,
                                               /*create_graph=*/true),
               c10::Error);
}

}  // namespace
}  // namespace tributary
