#include "trainer_client/torch/embedding/dist_embedding.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/embedding.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "trainer_client/torch/embedding/sparse_optimizer.h"
#include "trainer_client/torch/testing/in_memory_rows.h"

namespace tributary {
namespace {

constexpr int64_t kRows = 9, kDim = 3;

float Initial(int64_t row, int64_t column) {
  return 0.25F * static_cast<float>(row) - 0.1F * static_cast<float>(column);
}

at::Tensor Ids(std::vector<int64_t> ids) {
  return at::tensor(at::ArrayRef<int64_t>(ids), at::kLong);
}

// One rank's embedding and optimizer over rows in memory.
struct Rank {
  Rank(InMemoryRows* rows, int rank, bool average = false, double rate = 0.5)
      : rounds(rows->Rounds(rank)) {
    embedding = *DistEmbedding::Over(
        rows->Tensor(rank, {.name = "e", .num_rows = kRows, .dim = kDim}),
        average);
    optimizer =
        *SparseOptimizer::Create(rounds.get(), rank, SparseOptimizerKind::kSgd,
                                 {.learning_rate = rate}, {embedding.get()});
  }
  at::Tensor Forward(std::vector<int64_t> ids) const {
    return embedding->Forward(Ids(std::move(ids))).value();
  }

  std::unique_ptr<GradientRounds> rounds;
  std::unique_ptr<DistEmbedding> embedding;
  std::unique_ptr<SparseOptimizer> optimizer;
};

float ValueOf(const InMemoryRows& rows, int64_t row, int64_t column) {
  return rows.Values("e")[row * kDim + column];
}

TEST(DistEmbeddingTest, ReadsEachDistinctRowOnce) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0);
  const at::Tensor out = rank.Forward({4, 1, 4, 4, 0});
  ASSERT_EQ(out.sizes(), at::IntArrayRef({5, kDim}));
  EXPECT_EQ(rows.rows_read(), 3);
  EXPECT_EQ(out[0][2].item<float>(), Initial(4, 2));
  EXPECT_EQ(out[1][1].item<float>(), Initial(1, 1));
  EXPECT_EQ(out[3][0].item<float>(), Initial(4, 0));
  EXPECT_EQ(out[4][2].item<float>(), Initial(0, 2));
  EXPECT_EQ(rank.Forward({}).sizes(), at::IntArrayRef({0, kDim}));
}

TEST(DistEmbeddingTest, RefusesOtherTensors) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0);
  for (const at::Tensor& ids :
       {at::Tensor(), at::zeros({2}), at::zeros({1, 1}, at::kLong)}) {
    EXPECT_EQ(rank.embedding->Forward(ids).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(rank.embedding->Forward(Ids({kRows})).status().code(),
            absl::StatusCode::kOutOfRange);
  for (const DistTensorOptions& options :
       {DistTensorOptions{
            .name = "i", .num_rows = 1, .dim = 1, .dtype = DType::kInt32},
        DistTensorOptions{.name = "v", .num_rows = 1, .dim = 0}}) {
    EXPECT_EQ(DistEmbedding::Over(rows.Tensor(0, options)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// The gradient of sum(weights * out), where a row's lookups have the weights 1,
// 10 and 100, is 111 for a row looked up three times.
TEST(DistEmbeddingTest, SumsOrAveragesDuplicates) {
  for (const bool average : {false, true}) {
    InMemoryRows rows(1, Initial);
    const Rank rank(&rows, 0, average);
    const at::Tensor weights = at::tensor({1.0F, 7.0F, 10.0F, 100.0F});
    (rank.Forward({5, 2, 5, 5}) * weights.unsqueeze(1)).sum().backward();
    ASSERT_TRUE(rank.optimizer->Step().ok());
    EXPECT_FLOAT_EQ(ValueOf(rows, 5, 1),
                    Initial(5, 1) - 0.5F * (average ? 37 : 111));
    EXPECT_FLOAT_EQ(ValueOf(rows, 2, 1), Initial(2, 1) - 0.5F * 7);
    EXPECT_EQ(ValueOf(rows, 3, 1), Initial(3, 1));
  }
}

TEST(DistEmbeddingTest, CountsSeveralForwardsOfAStep) {
  for (const bool average : {false, true}) {
    InMemoryRows rows(1, Initial);
    const Rank rank(&rows, 0, average);
    const at::Tensor a = rank.Forward({1, 2}), b = rank.Forward({8, 2, 2}),
                     unused = rank.Forward({7});
    (a.sum() + 10 * b.sum()).backward();
    ASSERT_TRUE(rank.optimizer->Step().ok());
    EXPECT_FLOAT_EQ(ValueOf(rows, 1, 0), Initial(1, 0) - 0.5F);
    EXPECT_FLOAT_EQ(ValueOf(rows, 2, 0),
                    Initial(2, 0) - 0.5F * (average ? 7 : 21));
    EXPECT_FLOAT_EQ(ValueOf(rows, 8, 0), Initial(8, 0) - 5);
    EXPECT_EQ(ValueOf(rows, 7, 0), Initial(7, 0));
    ASSERT_TRUE(rank.optimizer->Step().ok());  // nothing is left
    EXPECT_FLOAT_EQ(ValueOf(rows, 1, 0), Initial(1, 0) - 0.5F);
  }
}

TEST(DistEmbeddingTest, RecordsNothingWithoutAutograd) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0);
  {
    const at::NoGradGuard no_grad;
    EXPECT_FALSE(rank.Forward({1, 1}).requires_grad());
    EXPECT_FALSE(rank.Forward({1, 2}).requires_grad());  // read as it is
  }
  rank.Forward({2, 3}).sum().backward();
  rank.optimizer->ZeroGrad();
  EXPECT_TRUE(rank.embedding->TakeGradients().rows.empty());
  rank.Forward({3, 2}).sum().backward();
  EXPECT_EQ(rank.embedding->TakeGradients().rows, (std::vector<int64_t>{2, 3}));
}

TEST(DistEmbeddingTest, GradientsMayBeZeroedBetweenLookupAndBackward) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0);
  rank.Forward({5}).sum().backward();
  const at::Tensor loss = rank.Forward({2, 3}).sum();
  rank.optimizer->ZeroGrad();
  loss.backward();
  EXPECT_EQ(rank.embedding->TakeGradients().rows, (std::vector<int64_t>{2, 3}));
}

TEST(DistEmbeddingTest, RefusesGradientsThatAreNotFinite) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0);
  (rank.Forward({3, 6}) * at::tensor({1.0F, HUGE_VALF}).unsqueeze(1))
      .sum()
      .backward();
  const absl::Status status = rank.optimizer->Step();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "the gradient of row 6 of e is inf");
  EXPECT_EQ(rank.rounds->closed(), 0);
}

// torch's embedding with torch's SGD, on the same batches.
TEST(DistEmbeddingTest, StepsAsTorch) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0, false, 0.1);
  torch::nn::Embedding dense(kRows, kDim);
  {
    const at::NoGradGuard no_grad;
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kDim; ++c) dense->weight[r][c] = Initial(r, c);
    }
  }
  torch::optim::SGD sgd(dense->parameters(), torch::optim::SGDOptions(0.1));
  for (const auto& ids : std::vector<std::vector<int64_t>>{
           {0, 1, 1, 5}, {8, 5, 5, 5}, {3}, {8, 7, 6, 5, 4, 3, 2, 1, 0}}) {
    sgd.zero_grad();
    dense->forward(Ids(ids)).pow(2).sum().backward();
    sgd.step();
    rank.Forward(ids).pow(2).sum().backward();
    ASSERT_TRUE(rank.optimizer->Step().ok());
  }
  const std::vector<float> own = rows.Values("e");
  EXPECT_TRUE(at::allclose(at::tensor(own).view({kRows, kDim}), dense->weight,
                           1e-6, 1e-7));
}

// Three steps of six batches each, by `world` ranks: batch b is of rank b %
// world and has place b, whatever the world.
std::vector<float> TrainWith(int world) {
  constexpr int kSteps = 3, kBatches = 6;
  InMemoryRows rows(world, Initial);
  const auto train = [&rows, world](int rank) {
    const Rank own(&rows, rank, false, 0.01);
    for (int step = 0; step < kSteps; ++step) {
      for (int b = rank; b < kBatches; b += world) {
        const at::Tensor out =
            own.Forward({b % kRows, (b * 5 + step) % kRows, 4, 4});
        (out.pow(3).sum() / (b + 1)).backward();
        EXPECT_TRUE(own.optimizer->Push(static_cast<uint32_t>(b)).ok());
      }
      EXPECT_TRUE(own.optimizer->Close().ok());
    }
  };
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < world; ++rank) ranks.emplace_back(train, rank);
  for (std::thread& rank : ranks) rank.join();
  return rows.Values("e");
}

TEST(DistEmbeddingTest, RanksChangeNoBit) {
  const std::vector<float> alone = TrainWith(1);
  EXPECT_NE(alone[4 * kDim], Initial(4, 0));
  EXPECT_EQ(TrainWith(3), alone);
  EXPECT_EQ(TrainWith(6), alone);
}

TEST(DistEmbeddingTest, PrefetchChangesNoValue) {
  InMemoryRows rows(1, Initial);
  const Rank rank(&rows, 0);
  ASSERT_TRUE(rank.embedding->Prefetch(Ids({1, 2})).ok());
  EXPECT_EQ(rank.Forward({2, 2})[1][0].item<float>(), Initial(2, 0));
}

}  // namespace
}  // namespace tributary
