// Each layer against its definition in dense algebra, in float64.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainer_client/torch/nn/conv/gat_conv.h"
#include "trainer_client/torch/nn/conv/gcn_conv.h"
#include "trainer_client/torch/nn/conv/rgcn_conv.h"
#include "trainer_client/torch/nn/conv/sage_conv.h"
#include "trainer_client/torch/nn/segment/testing/central_differences.h"

namespace tributary {
namespace {

at::Tensor Ints(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

// 3 destinations, 5 sources: 3->0, 1->0, 3->0, a self loop 2->2, 4->2; none
// into 1.
Segments Edges() { return {Ints({0, 3, 3, 5}), Ints({3, 1, 3, 2, 4}), 5}; }

// [destinations, sources]: the number of edges.
at::Tensor Dense() {
  at::Tensor a = at::zeros({3, 5}, at::kDouble);
  a[0][3] = 2;
  a[0][1] = 1;
  a[2][2] = 1;
  a[2][4] = 1;
  return a;
}

void ExpectClose(const at::Tensor& a, const at::Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(at::allclose(a, b, 0, 1e-12)) << a << b;
}

std::vector<std::string> Names(const torch::nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& p : module.named_parameters()) {
    names.push_back(p.key() + " " + c10::str(p.value().sizes()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ConvsTest : public ::testing::Test {
 protected:
  ConvsTest() {
    at::manual_seed(4);
    x_ = at::randn({5, 4}, at::kDouble);
  }

  ConvInput Homogeneous() const {
    return {.x_src = x_, .x_dst = x_.slice(0, 0, 3), .segments = Edges()};
  }
  // Destinations of another type, with rows of 2.
  ConvInput Bipartite() const {
    return {.x_src = x_,
            .x_dst = at::arange(6, at::kDouble).view({3, 2}),
            .segments = Edges()};
  }

  // Gives every parameter, also those that begin as 0, a value.
  static void Randomize(torch::nn::Module& module) {
    module.to(at::kDouble);
    const at::NoGradGuard no_grad;
    for (at::Tensor& p : module.parameters()) p.normal_();
  }

  void ExpectGradients(RelationConv& conv, const ConvInput& input) {
    const at::Tensor of = at::randn(conv.Forward(input).sizes(), at::kDouble);
    std::vector<at::Tensor> leaves = conv.parameters();
    leaves.push_back(x_.set_requires_grad(true));
    EXPECT_LT(LargestGradientError(
                  [&] {
                    ConvInput again = input;
                    again.x_src = x_;
                    if (x_.size(1) == input.x_dst.size(1)) {
                      again.x_dst = x_.slice(0, 0, 3);
                    }
                    return (conv.Forward(again) * of).sum();
                  },
                  leaves),
              1e-7);
  }

  at::Tensor x_;
};

TEST_F(ConvsTest, SageMean) {
  SageConv conv({.in_src = 4, .in_dst = 4, .out = 3});
  Randomize(conv);
  const auto p = conv.named_parameters();
  const at::Tensor a = Dense();
  const at::Tensor mean = a.matmul(x_) / a.sum(1, true).clamp_min(1);
  ExpectClose(conv.Forward(Homogeneous()),
              mean.matmul(p["lin_l.weight"].t()) + p["lin_l.bias"] +
                  x_.slice(0, 0, 3).matmul(p["lin_r.weight"].t()));
  ExpectGradients(conv, Homogeneous());
}

TEST_F(ConvsTest, SageMaxOfAnotherType) {
  SageConv conv({.in_src = 4, .in_dst = 2, .out = 3, .bipartite = true},
                SageAggregation::kMax);
  Randomize(conv);
  const auto p = conv.named_parameters();
  const at::Tensor largest =
      at::stack({at::maximum(x_[3], x_[1]), at::zeros({4}, at::kDouble),
                 at::maximum(x_[2], x_[4])});
  const ConvInput input = Bipartite();
  ExpectClose(conv.Forward(input),
              largest.matmul(p["lin_l.weight"].t()) + p["lin_l.bias"] +
                  input.x_dst.matmul(p["lin_r.weight"].t()));
  ExpectGradients(conv, input);
}

TEST_F(ConvsTest, GcnOfAllNeighboursIsTheNormalisedAdjacency) {
  GcnConv conv({.in_src = 4, .in_dst = 4, .out = 3});
  Randomize(conv);
  const auto p = conv.named_parameters();
  ConvInput input = Homogeneous();
  input.in_degree = at::tensor(std::vector<int64_t>{3, 0, 2, 1, 7, 9});
  // PyG's gcn_norm: D^-1/2 (A + I) D^-1/2 with the degrees of A + I.
  const at::Tensor d = at::tensor(std::vector<double>{4, 1, 3, 2, 8}).rsqrt();
  const at::Tensor a = Dense() + at::eye(3, 5, at::kDouble);
  const at::Tensor normed = d.slice(0, 0, 3).unsqueeze(1) * a * d;
  ExpectClose(conv.Forward(input),
              normed.matmul(x_).matmul(p["lin.weight"].t()) + p["bias"]);
  ExpectGradients(conv, input);
}

TEST_F(ConvsTest, GcnScalesSampledNeighboursToTheWholeDegree) {
  GcnConv conv({.in_src = 4, .in_dst = 4, .out = 3});
  Randomize(conv);
  const auto p = conv.named_parameters();
  ConvInput input = Homogeneous();
  // 12 in-edges of node 0, of which 3 are here; node 1 has 5, none of them
  // here.
  input.in_degree = at::tensor(std::vector<int64_t>{12, 5, 2, 0, 3});
  const double of_0 = 12.0 / 3 / std::sqrt(13.0);
  const double of_2 = 1 / std::sqrt(3.0);
  const at::Tensor sum = at::stack(
      {of_0 * (2 * x_[3] + x_[1] / std::sqrt(6.0)) + x_[0] / 13, x_[1] / 6,
       of_2 * (x_[2] / std::sqrt(3.0) + x_[4] / 2) + x_[2] / 3});
  ExpectClose(conv.Forward(input), sum.matmul(p["lin.weight"].t()) + p["bias"]);
}

TEST_F(ConvsTest, GcnOfOneSideIsTheMean) {
  GcnConv conv({.in_src = 4, .in_dst = 2, .out = 3, .bipartite = true},
               GcnNorm::kRight);
  Randomize(conv);
  const auto p = conv.named_parameters();
  const at::Tensor a = Dense();
  const at::Tensor mean = a.matmul(x_) / a.sum(1, true).clamp_min(1);
  ExpectClose(conv.Forward(Bipartite()),
              mean.matmul(p["lin.weight"].t()) + p["bias"]);
}

TEST_F(ConvsTest, GcnBetweenTypesScalesByTheDegreesOfBothEnds) {
  GcnConv conv({.in_src = 4, .in_dst = 2, .out = 3, .bipartite = true},
               GcnNorm::kBothBipartite);
  Randomize(conv);
  const auto p = conv.named_parameters();
  ConvInput input = Bipartite();
  EXPECT_THROW(conv.Forward(input), c10::Error);
  // Of the 12 in-edges of destination 0 there are 3 here, of the 2 of
  // destination 2 both.
  input.in_degree = at::tensor(std::vector<int64_t>{12, 5, 2});
  input.out_degree = at::tensor(std::vector<int64_t>{0, 6, 3, 4, 9});
  const at::Tensor sum =
      at::stack({std::sqrt(12.0) / 3 * (2 * x_[3] / 2 + x_[1] / std::sqrt(6.0)),
                 at::zeros_like(x_[0]),
                 std::sqrt(2.0) / 2 * (x_[2] / std::sqrt(3.0) + x_[4] / 3)});
  ExpectClose(conv.Forward(input), sum.matmul(p["lin.weight"].t()) + p["bias"]);
  ExpectGradients(conv, input);
}

TEST_F(ConvsTest, GcnNeedsDegrees) {
  GcnConv conv({.in_src = 4, .in_dst = 4, .out = 3});
  Randomize(conv);
  EXPECT_THROW(conv.Forward(Homogeneous()), c10::Error);
}

// The definition of one head: [destinations, C].
at::Tensor DenseHead(const at::Tensor& h_src, const at::Tensor& h_dst,
                     const at::Tensor& a, const at::Tensor& att_src,
                     const at::Tensor& att_dst, double slope) {
  const at::Tensor scores = at::leaky_relu(
      h_src.matmul(att_src).unsqueeze(0) + h_dst.matmul(att_dst).unsqueeze(1),
      slope);
  const at::Tensor e =
      scores.exp() * a;  // an edge that is twice there counts so
  return (e / e.sum(1, true).clamp_min(1e-300)).matmul(h_src);
}

TEST_F(ConvsTest, GatConcatenatesHeadsAndAddsSelfLoops) {
  GatConv conv({.in_src = 4, .in_dst = 4, .out = 3}, {.heads = 2});
  Randomize(conv);
  EXPECT_EQ(Names(conv),
            (std::vector<std::string>{"att_dst [1, 2, 3]", "att_src [1, 2, 3]",
                                      "bias [6]", "lin.weight [6, 4]"}));
  const auto p = conv.named_parameters();
  const at::Tensor h = x_.matmul(p["lin.weight"].t());
  // The self loop that is there is replaced, not doubled.
  const at::Tensor a = at::maximum(Dense(), at::eye(3, 5, at::kDouble));
  std::vector<at::Tensor> heads;
  for (int i = 0; i < 2; ++i) {
    const at::Tensor head = h.slice(1, 3 * i, 3 * i + 3);
    heads.push_back(DenseHead(head, head.slice(0, 0, 3), a, p["att_src"][0][i],
                              p["att_dst"][0][i], 0.2));
  }
  ExpectClose(conv.Forward(Homogeneous()), at::cat(heads, 1) + p["bias"]);
  ExpectGradients(conv, Homogeneous());
}

TEST_F(ConvsTest, GatOfTwoTypesAveragesHeads) {
  GatConv conv({.in_src = 4, .in_dst = 2, .out = 3, .bipartite = true},
               {.heads = 2,
                .concat = false,
                .negative_slope = 0.1,
                .add_self_loops = false});
  Randomize(conv);
  EXPECT_EQ(Names(conv),
            (std::vector<std::string>{"att_dst [1, 2, 3]", "att_src [1, 2, 3]",
                                      "bias [3]", "lin_dst.weight [6, 2]",
                                      "lin_src.weight [6, 4]"}));
  const auto p = conv.named_parameters();
  const ConvInput input = Bipartite();
  const at::Tensor h_src = x_.matmul(p["lin_src.weight"].t());
  const at::Tensor h_dst = input.x_dst.matmul(p["lin_dst.weight"].t());
  at::Tensor sum = at::zeros({3, 3}, at::kDouble);
  for (int i = 0; i < 2; ++i) {
    sum += DenseHead(h_src.slice(1, 3 * i, 3 * i + 3),
                     h_dst.slice(1, 3 * i, 3 * i + 3), Dense(),
                     p["att_src"][0][i], p["att_dst"][0][i], 0.1);
  }
  ExpectClose(conv.Forward(input), sum / 2 + p["bias"]);
  ExpectGradients(conv, input);
}

TEST_F(ConvsTest, GatDropsAttentionByItsKey) {
  GatConv conv({.in_src = 4, .in_dst = 4, .out = 30},
               {.heads = 4, .dropout = 0.5});
  Randomize(conv);
  ConvInput input = Homogeneous();
  input.draw_key = 1;
  const at::Tensor first = conv.Forward(input);
  EXPECT_TRUE(at::equal(conv.Forward(input), first));
  input.draw_key = 2;
  EXPECT_FALSE(at::equal(conv.Forward(input), first));
  conv.eval();
  const at::Tensor whole = conv.Forward(input);
  input.draw_key = 1;
  EXPECT_TRUE(at::equal(conv.Forward(input), whole));
}

TEST_F(ConvsTest, GatRefusesSelfLoopsBetweenTypes) {
  EXPECT_THROW(GatConv({.in_src = 4, .in_dst = 2, .out = 3, .bipartite = true},
                       {.heads = 2}),
               c10::Error);
}

TEST_F(ConvsTest, RgcnWithBases) {
  RgcnConv conv({.in_channels = 4,
                 .out_channels = 3,
                 .num_relations = 5,
                 .num_bases = 2});
  Randomize(conv);
  EXPECT_EQ(Names(conv),
            (std::vector<std::string>{"bias [3]", "comp [5, 2]", "root [4, 3]",
                                      "weight [2, 4, 3]"}));
  const auto p = conv.named_parameters();
  const at::Tensor a = Dense();
  const at::Tensor mean = a.matmul(x_) / a.sum(1, true).clamp_min(1);
  const at::Tensor weight =
      p["comp"][3][0] * p["weight"][0] + p["comp"][3][1] * p["weight"][1];
  const auto forward = [&] {
    return conv.Messages(x_, Edges(), conv.RelationWeights()[3]) +
           conv.SelfLoop(x_.slice(0, 0, 3));
  };
  ExpectClose(forward(), mean.matmul(weight) +
                             x_.slice(0, 0, 3).matmul(p["root"]) + p["bias"]);
  std::vector<at::Tensor> leaves = conv.parameters();
  leaves.push_back(x_.set_requires_grad(true));
  EXPECT_LT(
      LargestGradientError([&] { return forward().square().sum(); }, leaves),
      1e-6);
}

// Relation 1 reads rows 0 to 4, relation 3 the rows from 2: 2->1, 3->1, 2->2.
TEST_F(ConvsTest, RgcnOfAllRelationsTogether) {
  RgcnConv conv({.in_channels = 4, .out_channels = 3, .num_relations = 5});
  Randomize(conv);
  const Segments other(Ints({0, 0, 2, 3}), Ints({2, 3, 2}), 5);
  const RelationGroups groups(
      {{.relation = 1, .indptr = Edges().indptr(), .src = Edges().src()},
       {.relation = 3,
        .indptr = other.indptr(),
        .src = Ints({0, 1, 0}),
        .first_row = 2}},
      /*num_src=*/5, /*num_dst=*/3);
  // (1, 0), (1, 2), (3, 1), (3, 2): destination 1 has no edge of relation 1.
  EXPECT_TRUE(at::equal(groups.sources().indptr(), Ints({0, 3, 5, 7, 8})));
  EXPECT_TRUE(at::equal(groups.pairs().indptr(), Ints({0, 1, 2, 4})));
  EXPECT_TRUE(at::equal(groups.pairs().src(), Ints({0, 2, 1, 3})));
  const at::Tensor weights = conv.RelationWeights();
  ExpectClose(conv.Messages(x_, groups, weights),
              conv.Messages(x_, Edges(), weights[1]) +
                  conv.Messages(x_, other, weights[3]));
  std::vector<at::Tensor> leaves{conv.named_parameters()["weight"],
                                 x_.set_requires_grad(true)};
  EXPECT_LT(LargestGradientError(
                [&] {
                  return conv.Messages(x_, groups, conv.RelationWeights())
                      .square()
                      .sum();
                },
                leaves),
            1e-6);
}

TEST_F(ConvsTest, RgcnWithoutBasesHasAWeightForEachRelation) {
  RgcnConv conv({.in_channels = 4, .out_channels = 3, .num_relations = 5});
  EXPECT_EQ(Names(conv), (std::vector<std::string>{"bias [3]", "root [4, 3]",
                                                   "weight [5, 4, 3]"}));
  EXPECT_TRUE(
      at::equal(conv.RelationWeights(), conv.named_parameters()["weight"]));
}

TEST_F(ConvsTest, InitialValuesAreInPygsRanges) {
  const auto largest = [](const at::Tensor& t) {
    return t.abs().max().item<double>();
  };
  GatConv gat({.in_src = 100, .in_dst = 100, .out = 16}, {.heads = 4});
  const auto p = gat.named_parameters();
  // glorot: sqrt(6 / (64 + 100)) and, of att_src, sqrt(6 / (4 + 16)).
  EXPECT_NEAR(largest(p["lin.weight"]), std::sqrt(6.0 / 164), 0.002);
  EXPECT_LE(largest(p["att_src"]), std::sqrt(6.0 / 20));
  EXPECT_GT(largest(p["att_src"]), 0.8 * std::sqrt(6.0 / 20));
  EXPECT_EQ(largest(p["bias"]), 0);
  SageConv sage({.in_src = 100, .in_dst = 100, .out = 64});
  EXPECT_NEAR(largest(sage.named_parameters()["lin_l.weight"]), 0.1, 0.002);
}

}  // namespace
}  // namespace tributary
