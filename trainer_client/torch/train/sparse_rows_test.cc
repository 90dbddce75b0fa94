// Train() with rows on servers: those of this process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "partition/format/testing/graph_builder.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/torch/embedding/dist_input_embedding.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/testing/train_job.h"

namespace tributary {
namespace {

constexpr int64_t kNodes = 160;  // those of Job's graph
constexpr int64_t kChannels = 8;

// The servers of one attempt. Batches come from Job's loaders instead.
struct RowServers {
  RowServers() {
    GraphSpec graph;
    graph.num_nodes = kNodes;
    graph.edges = {{0, 1}};
    WriteGraphTo(graph, folder.File("graph"));
    workers = SamplingWorkers::Open(CollocatedDistSamplingWorkerOptions{
                                        .graph = folder.File("graph"),
                                        .num_threads = 1,
                                        .channel_size = uint64_t{8} << 20})
                  .value();
    auto opened = DistContext::Open(
        workers.get(), {.attempt = 1, .timeout = absl::Seconds(20)});
    EXPECT_TRUE(opened.ok()) << opened.status();
    context = *std::move(opened);
  }

  // Returns the rows of a tensor of the attempt.
  std::vector<float> Rows(const std::string& name) const {
    DistTensorOptions options{
        .name = name,
        .num_rows = kNodes,
        .dim = kChannels,
        .initial = {.kind = InitialValues::Kind::kXavierUniform,
                    .low = std::sqrt(2.0),
                    .random_seed = 3},
        .policy = "node:node"};
    auto tensor = DistTensor::Create(*context, options);
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    std::vector<float> values;
    if (!tensor.ok()) return values;
    EXPECT_TRUE(
        ForEachPage(**tensor, [&](int64_t, absl::Span<const uint8_t> page) {
          const auto* from = reinterpret_cast<const float*>(page.data());
          values.insert(values.end(), from, from + page.size() / sizeof(float));
          return absl::OkStatus();
        }).ok());
    return values;
  }

  TemporaryFolder folder;
  std::unique_ptr<SamplingWorkers> workers;
  std::unique_ptr<DistContext> context;
};

void Configure(Job& job, const RowServers& servers) {
  job.context = servers.context.get();
  job.options.random_seed = 3;
  job.options.epochs = 3;
  job.options.num_classes = 4;
  job.options.model = {.hidden_channels = kChannels, .num_layers = 2};
  job.options.sparse = {.enabled = true, .learning_rate = 0.05};
  job.loader_options.batch_size = 8;
}

TEST(SparseRowsTest, LearnsWithoutFeatures) {
  const RowServers servers;
  Job job;
  Configure(job, servers);
  job.options.epochs = 12;
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(job.reports.epochs.back().loss,
            0.5 * job.reports.epochs.front().loss);
  EXPECT_GT(*result->best_valid, 0.6);  // of 4 classes
  EXPECT_GT(servers.context->rows_read_ahead(), uint64_t{0});
}

TEST(SparseRowsTest, NeedsServers) {
  const RowServers servers;
  Job job;
  Configure(job, servers);
  job.context = nullptr;
  EXPECT_EQ(job.Run().status().code(), absl::StatusCode::kInvalidArgument);
  const auto plan = job.Plan(2);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->row_bytes, 3 * kNodes * kChannels * sizeof(float));
}

TEST(SparseRowsTest, NodesWithFeaturesHaveNoRows) {
  const RowServers servers;
  Job job;
  Configure(job, servers);
  job.options.sparse.node_feats = true;
  const absl::Status status = job.Run().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("--node-feats"), std::string::npos);
}

// Early stopping ends two epochs after the best one; the test and the saved
// model are of its rows.
TEST(SparseRowsTest, TheBestEpochsRowsComeBack) {
  const RowServers servers;
  Job job;
  Configure(job, servers);
  job.options.epochs = 40;
  job.options.sparse.learning_rate = 0.5;
  job.options.early_stopping = {.patience = 2};
  job.options.save_model = Folder("best.safetensors");
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_LT(result->best_epoch + 1, result->epochs);
  const std::vector<float> best = servers.Rows("embedding.node#best");
  EXPECT_EQ(servers.Rows("embedding.node"), best);

  const RowServers others;
  Job until_best;
  Configure(until_best, others);
  until_best.options.epochs = result->best_epoch + 1;
  until_best.options.sparse.learning_rate = 0.5;
  ASSERT_TRUE(until_best.Run().ok());
  EXPECT_EQ(others.Rows("embedding.node"), best);
}

// A model of one linear layer over its rows, which multiplies the output of one
// training step by a NaN, or its gradient.
class PoisonedModel final : public GnnModel {
 public:
  PoisonedModel(std::shared_ptr<DistInputEmbedding> rows, int step, bool loss)
      : rows_(register_module("rows", std::move(rows))),
        linear_(register_module("linear", torch::nn::Linear(kChannels, 4))),
        step_(step),
        loss_(loss) {}

  TypeTensors Forward(const MiniBatch& batch) override {
    const int64_t n = batch.layers.back().num_dst[0];
    at::Tensor x = rows_->Rows(0, batch.n_id[0].slice(0, 0, n));
    if (is_training() && ++steps_ == step_) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      if (loss_)
        x = x * nan;
      else
        x.register_hook([nan](const at::Tensor& g) { return g * nan; });
    }
    return {linear_->forward(x)};
  }

 private:
  const std::shared_ptr<DistInputEmbedding> rows_;
  torch::nn::Linear linear_;
  const int step_;
  const bool loss_;
  int steps_ = 0;
};

// Step 4 is of batch 3: with a poisoned loss or gradient, as with a loader that
// fails there, rows are those after three steps.
TEST(SparseRowsTest, WhatIsNotFiniteLeavesRowsAsTheyWere) {
  const auto rows_after = [](int poisoned_step, bool loss, int64_t fail_at,
                             std::string* error) {
    const RowServers servers;
    Job job;
    Configure(job, servers);
    job.options.sparse.enabled = false;
    job.faults.fail_at = fail_at;
    job.options.make_model =
        [&](const ModelOptions&, const TypeTable& types,
            uint64_t seed) -> absl::StatusOr<std::shared_ptr<GnnModel>> {
      TypeTable featureless = types;
      featureless.feature_dim = {0};
      auto rows = DistInputEmbedding::Create(
          servers.context.get(), featureless,
          {.channels = kChannels, .random_seed = seed});
      if (!rows.ok()) return rows.status();
      at::manual_seed(5);
      return std::make_shared<PoisonedModel>(*std::move(rows), poisoned_step,
                                             loss);
    };
    *error = job.Run().status().ToString();
    return servers.Rows("embedding.node");
  };
  std::string error;
  const std::vector<float> expected = rows_after(0, false, 3, &error);
  EXPECT_EQ(rows_after(4, true, -1, &error), expected);
  EXPECT_NE(error.find("the loss is nan with batch 3 of epoch 1"),
            std::string::npos)
      << error;
  EXPECT_EQ(rows_after(4, false, -1, &error), expected);
  EXPECT_NE(error.find("of embedding.node is nan with batch 3"),
            std::string::npos)
      << error;
  EXPECT_NE(rows_after(0, false, 4, &error), expected);
}

}  // namespace
}  // namespace tributary
