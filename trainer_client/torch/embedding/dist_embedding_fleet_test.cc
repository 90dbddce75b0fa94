// Embeddings over real servers: their optimizers beside torch's, and the same
// bits for any number of servers and ranks.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/server/sampler_server.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/torch/embedding/dist_embedding.h"
#include "trainer_client/torch/embedding/sparse_optimizer.h"

namespace tributary {
namespace {

constexpr int64_t kRows = 400, kDim = 3;  // blocks of 64 rows: of each server

// Servers of one small graph, on loopback.
class Servers {
 public:
  Servers(int count, uint32_t partitions) {
    GraphSpec graph;
    graph.num_nodes = 4;
    graph.edges = {{0, 1}, {1, 2}, {2, 3}};
    graph.num_partitions = partitions;
    WriteGraphTo(graph, folder_.File("graph"));
    for (int i = 0; i < count; ++i) {
      SamplerServerOptions options;
      options.graphs = {{folder_.File("graph"), {}}};
      options.threads = 1;
      servers_.push_back(SamplerServer::Start(options).value());
      absl::StrAppend(&addresses_, i == 0 ? "" : ",",
                      servers_.back()->address().ToString());
    }
  }
  const std::string& addresses() const { return addresses_; }

 private:
  TemporaryFolder folder_;
  std::vector<std::unique_ptr<SamplerServer>> servers_;
  std::string addresses_;
};

// One rank's connection.
struct Rank {
  Rank(const Servers& servers, int rank, int world, uint64_t attempt) {
    workers = SamplingWorkers::Open(RemoteDistSamplingWorkerOptions{
                                        .servers = servers.addresses(),
                                        .rpc_timeout = absl::Seconds(30)})
                  .value();
    auto opened =
        DistContext::Open(workers.get(), {.rank = rank,
                                          .world_size = world,
                                          .attempt = attempt,
                                          .timeout = absl::Seconds(30)});
    EXPECT_TRUE(opened.ok()) << opened.status();
    context = *std::move(opened);
  }

  std::unique_ptr<DistEmbedding> Embedding(const std::string& name,
                                           int64_t rows) const {
    auto made = DistEmbedding::Create(
        *context, {.name = name,
                   .num_embeddings = rows,
                   .embedding_dim = kDim,
                   .initial = {.kind = InitialValues::Kind::kUniform,
                               .low = 1,
                               .high = 2,
                               .random_seed = 3}});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  std::unique_ptr<SamplingWorkers> workers;
  std::unique_ptr<DistContext> context;
};

at::Tensor AllRows(DistEmbedding& embedding) {
  const at::NoGradGuard no_grad;
  auto all = embedding.Forward(at::arange(embedding.rows().options().num_rows));
  EXPECT_TRUE(all.ok()) << all.status();
  return all->clone();
}

std::unique_ptr<SparseOptimizer> Optimizer(SparseOptimizerKind kind,
                                           DistContext& context,
                                           DistEmbedding* of) {
  switch (kind) {
    case SparseOptimizerKind::kSgd:
      return SparseSgd::Create(context, {of}, {.learning_rate = 0.03}).value();
    case SparseOptimizerKind::kAdagrad:
      return SparseAdagrad::Create(context, {of}, {.learning_rate = 0.03})
          .value();
    case SparseOptimizerKind::kAdam:
      return SparseAdam::Create(context, {of}, {.learning_rate = 0.03}).value();
  }
  return nullptr;
}

std::unique_ptr<torch::optim::Optimizer> TorchOptimizer(
    SparseOptimizerKind kind, const at::Tensor& of) {
  const std::vector<at::Tensor> parameters{of};
  switch (kind) {
    case SparseOptimizerKind::kSgd:
      return std::make_unique<torch::optim::SGD>(
          parameters, torch::optim::SGDOptions(0.03));
    case SparseOptimizerKind::kAdagrad:
      return std::make_unique<torch::optim::Adagrad>(
          parameters, torch::optim::AdagradOptions(0.03));
    case SparseOptimizerKind::kAdam:
      return std::make_unique<torch::optim::Adam>(
          parameters, torch::optim::AdamOptions(0.03));
  }
  return nullptr;
}

at::Tensor LossOf(const at::Tensor& rows, int step) {
  const at::Tensor weights =
      at::arange(rows.numel(), at::kFloat).view_as(rows).sin();
  return (rows.pow(2) * (weights + 0.1 * step)).sum();
}

constexpr SparseOptimizerKind kKinds[] = {SparseOptimizerKind::kSgd,
                                          SparseOptimizerKind::kAdagrad,
                                          SparseOptimizerKind::kAdam};

TEST(DistEmbeddingFleetTest, StepsAllRowsAsTorch) {
  const Servers servers(2, 1);
  const Rank rank(servers, 0, 1, 1);
  for (const SparseOptimizerKind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    auto embedding =
        rank.Embedding(absl::StrCat("e", static_cast<int>(kind)), kRows);
    const auto sparse = Optimizer(kind, *rank.context, embedding.get());
    at::Tensor dense = AllRows(*embedding).set_requires_grad(true);
    const at::Tensor first = dense.detach().clone();
    const auto torchs = TorchOptimizer(kind, dense);
    for (int step = 0; step < 6; ++step) {
      LossOf(embedding->Forward(at::arange(kRows)).value(), step).backward();
      ASSERT_TRUE(sparse->Step().ok());
      torchs->zero_grad();
      LossOf(dense, step).backward();
      torchs->step();
    }
    const at::Tensor own = AllRows(*embedding);
    EXPECT_TRUE(at::allclose(own, dense, 1e-6, 1e-7))
        << (own - dense).abs().max().item<float>();
    EXPECT_GT((own - first).abs().min().item<float>(), 1e-6);
  }
}

// Row r is in the steps with step % 2 == r % 2, so each half of the rows is
// stepped as by an Adam of its own.
TEST(DistEmbeddingFleetTest, AdamCountsStepsByRow) {
  const Servers servers(1, 1);
  const Rank rank(servers, 0, 1, 1);
  auto embedding = rank.Embedding("rows", 10);
  const auto sparse =
      Optimizer(SparseOptimizerKind::kAdam, *rank.context, embedding.get());
  const at::Tensor first = AllRows(*embedding);
  for (const int64_t odd : {0, 1}) {
    const at::Tensor ids = at::arange(odd, 10, 2);
    at::Tensor dense = first.index_select(0, ids).set_requires_grad(true);
    const auto torchs = TorchOptimizer(SparseOptimizerKind::kAdam, dense);
    for (int step = 0; step < 5; ++step) {
      // Steps of the other half come in between.
      if (odd == 0) {
        ASSERT_TRUE(sparse->Step().ok());
      }
      LossOf(embedding->Forward(ids).value(), step).backward();
      ASSERT_TRUE(sparse->Step().ok());
      torchs->zero_grad();
      LossOf(dense, step).backward();
      torchs->step();
    }
    EXPECT_TRUE(at::allclose(AllRows(*embedding).index_select(0, ids), dense,
                             1e-6, 1e-7));
  }
}

// Six batches in each of three steps, by `world` ranks; batch b has place b.
// Returns all rows.
std::vector<float> TrainWith(const Servers& servers, int world,
                             SparseOptimizerKind kind, bool prefetch = false) {
  static std::atomic<uint64_t> attempt = 1;
  constexpr int kSteps = 3, kBatches = 6;
  const uint64_t own_attempt = attempt++;
  std::vector<float> values;
  const auto train = [&](int number) {
    const Rank rank(servers, number, world, own_attempt);
    auto embedding = rank.Embedding("shared", kRows);
    const auto sparse = Optimizer(kind, *rank.context, embedding.get());
    for (int step = 0; step < kSteps; ++step) {
      for (int b = number; b < kBatches; b += world) {
        const at::Tensor ids =
            (at::arange(90) * (7 + b) + step * 31).remainder(kRows);
        if (prefetch && step > 0) {
          EXPECT_TRUE(embedding->Prefetch(ids).ok());
        }
        (LossOf(embedding->Forward(ids).value(), b) / 3).backward();
        EXPECT_TRUE(sparse->Push(static_cast<uint32_t>(b)).ok());
        if (prefetch) {  // rows that the round changes
          EXPECT_TRUE(embedding->Prefetch(ids).ok());
        }
      }
      EXPECT_TRUE(sparse->Close().ok());
    }
    if (number == 0) {
      const at::Tensor all = AllRows(*embedding);
      values.assign(all.const_data_ptr<float>(),
                    all.const_data_ptr<float>() + all.numel());
    }
    EXPECT_TRUE(rank.context->Close().ok());
  };
  std::vector<std::thread> ranks;
  for (int r = 0; r < world; ++r) ranks.emplace_back(train, r);
  for (std::thread& rank : ranks) rank.join();
  return values;
}

TEST(DistEmbeddingFleetTest, ServersPartitionsAndRanksChangeNoBit) {
  for (const SparseOptimizerKind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    const std::vector<float> expected = TrainWith(Servers(1, 1), 1, kind);
    ASSERT_EQ(expected.size(), kRows * kDim);
    EXPECT_EQ(TrainWith(Servers(1, 2), 3, kind), expected);
    EXPECT_EQ(TrainWith(Servers(2, 4), 1, kind), expected);
    const Servers three(3, 2);
    EXPECT_EQ(TrainWith(three, 3, kind), expected);
    EXPECT_EQ(TrainWith(three, 2, kind), expected);
  }
}

TEST(DistEmbeddingFleetTest, PrefetchChangesNoBit) {
  const Servers servers(2, 1);
  EXPECT_EQ(TrainWith(servers, 2, SparseOptimizerKind::kAdam, true),
            TrainWith(servers, 1, SparseOptimizerKind::kAdam));
}

TEST(DistEmbeddingFleetTest, AverageDividesByLookups) {
  const Servers servers(1, 1);
  const Rank rank(servers, 0, 1, 1);
  for (const bool average : {false, true}) {
    auto embedding = DistEmbedding::Create(*rank.context,
                                           {.name = average ? "average" : "sum",
                                            .num_embeddings = 5,
                                            .embedding_dim = 1,
                                            .average_duplicates = average});
    ASSERT_TRUE(embedding.ok()) << embedding.status();
    const auto sparse =
        Optimizer(SparseOptimizerKind::kSgd, *rank.context, embedding->get());
    const at::Tensor ids = at::tensor({3, 1, 3, 3, 3}, at::kLong);
    (*embedding)->Forward(ids).value().sum().backward();
    ASSERT_TRUE(sparse->Step().ok());
    const at::Tensor all = AllRows(**embedding);
    EXPECT_FLOAT_EQ(all[3][0].item<float>(), average ? -0.03F : -0.12F);
    EXPECT_FLOAT_EQ(all[1][0].item<float>(), -0.03F);
    EXPECT_EQ(all[0][0].item<float>(), 0);
  }
}

}  // namespace
}  // namespace tributary
