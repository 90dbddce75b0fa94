// How a batch task ends when things go wrong.
#include "sampler_server/engine/batch_task.h"

#include <gtest/gtest.h>

#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {
namespace {

using Code = absl::StatusCode;

// A ring of 12 nodes in 3 partitions, each with edges from the next three.
MemoryGraphSpec Ring() {
  MemoryGraphSpec spec;
  spec.num_partitions = 3;
  spec.node_types = {{.num_nodes = 12, .x_dim = 2, .has_y = true}};
  MemoryGraphSpec::EdgeType& edges = spec.edge_types.emplace_back();
  for (int64_t v = 0; v < 12; ++v) {
    for (int64_t d = 1; d <= 3; ++d) edges.edges.emplace_back((v + d) % 12, v);
  }
  edges.has_attr = true;
  return spec;
}

BatchCase Case() {
  BatchCase batch;
  batch.inputs = {0, 1, 2, 3};
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {2, 2};
  batch.options.batch_size = 4;
  return batch;
}

class BatchTaskTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryGraph> graph_ = MemoryGraph::Make(Ring());
  OneBatchWorld here_{graph_};
  OneBatchWorld parted_{graph_->Only({0}), graph_};
};

void ExpectFailed(const RecordingSink& sink, Code code, const char* words) {
  EXPECT_EQ(sink.ends, 1);
  EXPECT_EQ(sink.failed.code(), code) << sink.failed;
  EXPECT_NE(sink.failed.message().find(words), std::string::npos)
      << sink.failed;
}

TEST_F(BatchTaskTest, BadInputsAreNamed) {
  BatchRequest request = RequestOf(graph_->schema(), Case());
  request.original_id[2] = 12;
  auto sink = here_.Start(request);
  here_.world().Drain(1000);
  ExpectFailed(*sink, Code::kInvalidArgument,
               "batch 0 of epoch 0: input 12 is no node of type node; allowed: "
               "0 to 11");
  request.original_id[2] = -1;
  sink = here_.Start(request);
  here_.world().Drain(1000);
  ExpectFailed(*sink, Code::kInvalidArgument, "input -1");
  request.original_id[2] = 2;
  request.input_number[1] = 4;
  sink = here_.Start(request);
  here_.world().Drain(1000);
  ExpectFailed(*sink, Code::kInvalidArgument,
               "input number 4; allowed: 0 to 3");
  request.input_number.pop_back();
  sink = here_.Start(request);
  here_.world().Drain(1000);
  ExpectFailed(*sink, Code::kInvalidArgument, "3 input numbers");
  request.input_number.clear();
  request.original_id.clear();
  sink = here_.Start(request);
  here_.world().Drain(1000);
  ExpectFailed(*sink, Code::kInvalidArgument, "0 inputs; allowed: 1 to");
}

TEST_F(BatchTaskTest, WithoutPeersThePartitionIsNamed) {
  const auto sink = OneBatchWorld(graph_->Only({0})).Run(Case());
  ExpectFailed(*sink, Code::kFailedPrecondition, "partition 1 is not on this");
}

TEST_F(BatchTaskTest, APeersErrorIsTheBatchs) {
  parted_.remote()->failure = absl::UnavailableError("partition 2: no owner");
  ExpectFailed(*parted_.Run(Case()), Code::kUnavailable,
               "batch 0 of epoch 0: partition 2: no owner");
}

// Its replies would lie in memory that nothing is reserved for.
TEST_F(BatchTaskTest, WhatOtherPeersAreAskedEndsWithTheBatch) {
  parted_.remote()->failure = absl::UnavailableError("no owner");
  parted_.Run(Case());
  ASSERT_FALSE(parted_.remote()->cancels.empty());
  EXPECT_TRUE(parted_.remote()->cancels.back().cancelled());
}

TEST_F(BatchTaskTest, APeersRepliesAreNotBelieved) {
  parted_.remote()->damaged_neighbor = true;
  ExpectFailed(*parted_.Run(Case()), Code::kDataLoss, "hop reply of partition");
  parted_.remote()->damaged_neighbor = false;
  parted_.remote()->short_rows = true;
  ExpectFailed(*parted_.Run(Case()), Code::kDataLoss,
               "gather reply of partition");
}

TEST_F(BatchTaskTest, StoredIndicesAreNotBelieved) {
  graph_->indices(0, 0)[0] = 12;
  BatchCase batch = Case();
  batch.options.num_neighbors = {-1, 2};
  ExpectFailed(*here_.Run(batch), Code::kDataLoss, "partition 0");
}

TEST_F(BatchTaskTest, ASilentPeerEndsAtTheDeadline) {
  parted_.remote()->silent = true;
  const absl::Time start = parted_.executor()->Now();
  const auto sink = parted_.Run(Case());
  ExpectFailed(*sink, Code::kDeadlineExceeded, "waiting for a peer");
  EXPECT_LT(parted_.executor()->Now() - start, absl::Seconds(11));
}

TEST_F(BatchTaskTest, PastItsDeadlineBeforeItStarts) {
  BatchRequest request = RequestOf(graph_->schema(), Case());
  request.deadline = here_.executor()->Now() - absl::Seconds(1);
  const auto sink = here_.Start(request);
  here_.world().Drain(1000);
  ExpectFailed(*sink, Code::kDeadlineExceeded, "past its deadline");
}

// Whenever it is cancelled, nothing is told any more and the sink is let go.
TEST_F(BatchTaskTest, NoCallAfterCancel) {
  int cancelled_before_end = 0;
  for (int steps = 0; steps < 60; ++steps) {
    OneBatchWorld world(graph_->Only({0}), graph_);
    BatchRequest request = RequestOf(graph_->schema(), Case());
    const CancelToken cancel = request.cancel;
    auto sink = world.Start(std::move(request));
    for (int i = 0; i < steps; ++i) world.world().Step();
    const int ends = sink->ends;
    const size_t stages = sink->stages.size();
    cancel.Cancel();
    world.world().Drain(10'000);
    EXPECT_EQ(sink->ends, ends);
    EXPECT_EQ(sink->stages.size(), stages);
    EXPECT_EQ(sink.use_count(), 1);
    cancelled_before_end += ends == 0 ? 1 : 0;
  }
  EXPECT_GT(cancelled_before_end, 5);
}

// The peers would sample and gather for nobody.
TEST_F(BatchTaskTest, ACancelReachesAllThatPeersWereAsked) {
  int hops = 0, gathers = 0, questions = 0;
  for (int steps = 0; steps < 80; ++steps) {
    BatchCase batch = Case();
    batch.options.subgraph.type = SubgraphType::kInduced;
    OneBatchWorld world(graph_->Only({0}), graph_);
    BatchRequest request = RequestOf(graph_->schema(), batch);
    const CancelToken cancel = request.cancel;
    const auto sink = world.Start(std::move(request));
    for (int i = 0; i < steps; ++i) world.world().Step();
    const FakeRemote& remote = *world.remote();
    world.remote()->silent = true;
    const bool waits = sink->ends == 0 && !remote.cancels.empty();
    hops += waits ? remote.hops_asked : 0;
    gathers += waits ? remote.gathers_asked : 0;
    questions += waits ? remote.questions_asked : 0;
    cancel.Cancel();
    world.world().Drain(10'000);
    for (const CancelToken& call : remote.cancels) {
      EXPECT_TRUE(call.cancelled()) << steps;
    }
  }
  EXPECT_GT(hops, 0);
  EXPECT_GT(gathers, 0);
  EXPECT_GT(questions, 0);
}

// Half of a star's rows are a peer's: those of a request and its reply take
// 2 MiB, and three requests are under way at once, of wider rows one.
TEST(RowsOfAPeerTest, AreAskedForAFewAtATime) {
  struct Rows {
    int64_t nodes, x_dim;
    int gathers, open;
  };
  for (const Rows& rows : {Rows{40, 2, 1, 1}, Rows{40, 100'000, 4, 3},
                           Rows{8, 600'000, 4, 1}, Rows{8, 500'000, 4, 3}}) {
    for (const FeatureDType dtype :
         {FeatureDType::kStored, FeatureDType::kInt8}) {
      MemoryGraphSpec spec;
      spec.num_partitions = 2;
      spec.node_types = {
          {.num_nodes = rows.nodes, .x_dim = rows.x_dim, .has_y = true}};
      MemoryGraphSpec::EdgeType& edges = spec.edge_types.emplace_back();
      for (int64_t v = 1; v < rows.nodes; ++v) edges.edges.emplace_back(v, 0);
      const auto graph = MemoryGraph::Make(spec);
      BatchCase batch;
      batch.inputs = {0};
      batch.options.num_neighbors = {-1};
      batch.options.batch_size = 1;
      batch.options.feature_dtype = dtype;
      OneBatchWorld here(graph), parted(graph->Only({0}), graph);
      EXPECT_EQ(DigestOf(*parted.Run(batch)), DigestOf(*here.Run(batch)));
      if (dtype != FeatureDType::kStored) continue;  // a quarter as wide
      EXPECT_EQ(parted.remote()->gathers_asked, rows.gathers) << rows.x_dim;
      EXPECT_EQ(parted.remote()->most_open_gathers, rows.open) << rows.x_dim;
    }
  }
}

TEST_F(BatchTaskTest, CancelWhileAPeerIsSilentFreesTheSink) {
  parted_.remote()->silent = true;
  BatchRequest request = RequestOf(graph_->schema(), Case());
  const CancelToken cancel = request.cancel;
  const auto sink = parted_.Start(std::move(request));
  parted_.world().RunUntil([&] { return parted_.remote()->hops_asked > 0; },
                           absl::Seconds(1));
  cancel.Cancel();
  parted_.world().RunUntil([&] { return sink.use_count() == 1; },
                           absl::Seconds(1));
  EXPECT_EQ(sink.use_count(), 1);
  EXPECT_EQ(sink->ends, 0);
}

TEST_F(BatchTaskTest, StagesFollowTheBatch) {
  const auto sink = parted_.Run(Case());
  ASSERT_TRUE(sink->ready.has_value());
  EXPECT_EQ(sink->stages.front(), BatchStage::kSampling);
  EXPECT_EQ(sink->stages[1], BatchStage::kWaitingForPeer);
  EXPECT_NE(std::find(sink->stages.begin(), sink->stages.end(),
                      BatchStage::kGathering),
            sink->stages.end());
}

// All sampled: rows are those of the nodes and edges named beside them.
TEST_F(BatchTaskTest, RowsBelongToTheirIds) {
  const auto sink = parted_.Run(Case());
  const auto n_id = Ints(*sink, "n_id"), y = Ints(*sink, "y");
  const auto x = Floats(*sink, "x"), attr = Floats(*sink, "edge_attr");
  const auto e_id = Ints(*sink, "e_id");
  ASSERT_EQ(x.size(), 2 * n_id.size());
  for (size_t i = 0; i < n_id.size(); ++i) {
    EXPECT_EQ(y[i], 3 * n_id[i]);
    EXPECT_EQ(x[2 * i + 1], static_cast<float>(n_id[i]) + 0.125f);
  }
  ASSERT_EQ(attr.size(), e_id.size());
  for (size_t e = 0; e < e_id.size(); ++e) {
    EXPECT_EQ(attr[e], 2.0f * static_cast<float>(e_id[e]));
  }
}

TEST_F(BatchTaskTest, WithoutFeaturesNoRows) {
  BatchCase batch = Case();
  batch.options.collect = CollectedColumns::None();
  const auto sink = parted_.Run(batch);
  EXPECT_FALSE(Ints(*sink, "n_id").empty());
  for (const char* name : {"x", "y", "edge_attr"}) {
    EXPECT_EQ(BatchView::Parse(sink->room.span())->Find(name), nullptr);
  }
}

}  // namespace
}  // namespace tributary
