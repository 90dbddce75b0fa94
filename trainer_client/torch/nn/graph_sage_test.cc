#include "trainer_client/torch/nn/graph_sage.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <cmath>

namespace tributary {
namespace {

using Matrix = std::vector<std::vector<double>>;

const std::vector<int32_t> kSrc{2, 1, 3, 4, 0, 2};
const std::vector<int32_t> kDst{0, 0, 1, 2, 2, 3};
const std::vector<int64_t> kNodes{2, 2, 1};
const std::vector<int64_t> kEdges{3, 3};

std::vector<TorchBlock> Blocks(bool expand_all = false) {
  const auto blocks = LayerBlocks({kSrc, kDst, kNodes, kEdges, expand_all});
  EXPECT_TRUE(blocks.ok()) << blocks.status();
  std::vector<TorchBlock> result;
  for (const CsrBlock& b : *blocks) {
    result.push_back(TorchBlock::From(b, at::kCPU));
  }
  return result;
}

Matrix ToMatrix(const at::Tensor& t) {
  Matrix m(t.size(0), std::vector<double>(t.size(1)));
  for (int64_t i = 0; i < t.size(0); ++i) {
    for (int64_t j = 0; j < t.size(1); ++j) m[i][j] = t[i][j].item<double>();
  }
  return m;
}

// W [out, in] times a row.
std::vector<double> Times(const Matrix& w, const std::vector<double>& row) {
  std::vector<double> out(w.size(), 0);
  for (size_t i = 0; i < w.size(); ++i) {
    for (size_t j = 0; j < row.size(); ++j) out[i] += w[i][j] * row[j];
  }
  return out;
}

// The definition, node by node and edge by edge, nothing trimmed.
Matrix NaiveSage(const Matrix& x, size_t first_edge, size_t last_edge,
                 const Matrix& w_l, const at::Tensor& b, const Matrix& w_r) {
  Matrix out;
  for (size_t node = 0; node < x.size(); ++node) {
    std::vector<double> mean(x[0].size(), 0);
    int degree = 0;
    for (size_t e = first_edge; e < last_edge; ++e) {
      if (kDst[e] != static_cast<int32_t>(node)) continue;
      ++degree;
      for (size_t j = 0; j < mean.size(); ++j) mean[j] += x[kSrc[e]][j];
    }
    for (double& m : mean) m /= std::max(degree, 1);
    std::vector<double> row = Times(w_l, mean);
    const std::vector<double> self = Times(w_r, x[node]);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] += self[i] + b[i].item<double>();
    }
    out.push_back(row);
  }
  return out;
}

class GraphSageTest : public ::testing::Test {
 protected:
  GraphSageTest() {
    at::manual_seed(5);
    model_ = GraphSage(GraphSageOptions{
        .in_channels = 3, .hidden_channels = 4, .out_channels = 2});
    model_->to(at::kDouble);
    x_ = torch::randn({5, 3}, at::kDouble);
  }

  void ExpectNaive(const at::Tensor& logits, size_t layer0_from,
                   size_t layer0_to) {
    const auto p = model_->named_parameters();
    Matrix h =
        NaiveSage(ToMatrix(x_), layer0_from, layer0_to,
                  ToMatrix(p["convs.0.lin_l.weight"]), p["convs.0.lin_l.bias"],
                  ToMatrix(p["convs.0.lin_r.weight"]));
    for (auto& row : h) {
      for (double& v : row) v = std::max(v, 0.0);
    }
    h = NaiveSage(h, 0, 3, ToMatrix(p["convs.1.lin_l.weight"]),
                  p["convs.1.lin_l.bias"], ToMatrix(p["convs.1.lin_r.weight"]));
    ASSERT_EQ(logits.sizes(), (at::IntArrayRef{2, 2}));
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(logits[i][j].item<double>(), h[i][j], 1e-12);
      }
    }
  }

  GraphSage model_{nullptr};
  at::Tensor x_;
};

TEST_F(GraphSageTest, TrimmedLayersEqualTheDefinition) {
  // The second layer reads hop 0 only: nodes 0 and 1 have no other edges.
  ExpectNaive(model_->forward(x_, Blocks()), 0, 6);
}

TEST_F(GraphSageTest, ExpandAllGivesEachLayerItsHop) {
  ExpectNaive(model_->forward(x_, Blocks(/*expand_all=*/true)), 3, 6);
}

TEST_F(GraphSageTest, GradientsEqualFiniteDifferences) {
  const auto blocks = Blocks();
  const at::Tensor weights = torch::randn({2, 2}, at::kDouble);
  auto loss = [&] { return (model_->forward(x_, blocks) * weights).sum(); };
  loss().backward();
  constexpr double kStep = 1e-6;
  for (at::Tensor& p : model_->parameters()) {
    double* data = p.data_ptr<double>();
    const at::Tensor grad = p.grad().contiguous();
    for (int64_t i = 0; i < p.numel(); ++i) {
      const double value = data[i];
      data[i] = value + kStep;
      const double up = loss().item<double>();
      data[i] = value - kStep;
      const double down = loss().item<double>();
      data[i] = value;
      EXPECT_NEAR(grad.data_ptr<double>()[i], (up - down) / (2 * kStep), 1e-7);
    }
  }
}

TEST_F(GraphSageTest, DropoutOnlyInTraining) {
  GraphSage model(GraphSageOptions{.in_channels = 3,
                                   .hidden_channels = 64,
                                   .out_channels = 2,
                                   .dropout = 0.5,
                                   .input_dropout = 0.5});
  const at::Tensor x = x_.to(at::kFloat);
  const auto blocks = Blocks();
  EXPECT_FALSE(at::equal(model->forward(x, blocks), model->forward(x, blocks)));
  model->eval();
  EXPECT_TRUE(at::equal(model->forward(x, blocks), model->forward(x, blocks)));
}

TEST_F(GraphSageTest, NamesOfPyG) {
  std::vector<std::string> names = model_->named_parameters().keys();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{
                       "convs.0.lin_l.bias", "convs.0.lin_l.weight",
                       "convs.0.lin_r.weight", "convs.1.lin_l.bias",
                       "convs.1.lin_l.weight", "convs.1.lin_r.weight"}));
}

TEST_F(GraphSageTest, RefusesAnotherNumberOfHops) {
  auto blocks = Blocks();
  blocks.pop_back();
  EXPECT_THROW(model_->forward(x_, blocks), c10::Error);
}

}  // namespace
}  // namespace tributary
