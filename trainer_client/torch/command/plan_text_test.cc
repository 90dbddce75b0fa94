#include "trainer_client/torch/command/plan_text.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(PlanTextTest, Bytes) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(999), "999 B");
  EXPECT_EQ(BytesText(1000), "1.0 kB");
  EXPECT_EQ(BytesText(999'949), "999.9 kB");
  EXPECT_EQ(BytesText(999'950), "1.0 MB");
  EXPECT_EQ(BytesText(36'900'000'000), "36.9 GB");
  EXPECT_EQ(BytesText(~uint64_t{0}), "18.4 EB");
}

TrainPlan Plan() {
  return {.graph = "shop@1f0c77aa9e5d",
          .nodes = {{"item", 90}, {"user", 60}},
          .edges = {{"user,buys,item", 500}},
          .world = 2,
          .passes = {{"train", 140, 5, 3, 300, 900, 1'000'000},
                     {"valid", 20, 1, 1, 50, 70, 2'000}},
          .parameters = 1000,
          .parameter_bytes = 4000,
          .optimizer_bytes = 8032,
          .checkpoint_bytes = 16'032};
}

TEST(PlanTextTest, AllLines) {
  EXPECT_EQ(PlanText(Plan(), {.model = "sage",
                              .columns = "x,y",
                              .batch_size = 32,
                              .epochs = 10,
                              .buffer_size = 256'000'000,
                              .prefetch_size = 4}),
            R"(plan (--dry-run: nothing is trained or written)
  graph       shop@1f0c77aa9e5d
  nodes       item 90, user 60
  edges       user,buys,item 500
  ranks       2, each with batches of 32 inputs
  train       140 inputs, 5 batches, 3 rounds a pass
              batch 0 as sampled: 300 nodes, 900 edges, 1.0 MB; a pass at that size 5.0 MB
  valid       20 inputs, 1 batches, 1 rounds a pass
              batch 0 as sampled: 50 nodes, 70 edges, 2.0 kB; a pass at that size 2.0 kB
  steps       10 epochs of 3 rounds: 30
  collects    x,y
  model       sage, 1000 parameters, 4.0 kB
  optimizer   Adam, 8.0 kB of state for each rank
  checkpoint  about 16.0 kB each
  receive     2 loaders of 256.0 MB (--buffer-size) for each rank, together 512.0 MB; room for 256 batches of train
)");
}

TEST(PlanTextTest, RowsOnServers) {
  TrainPlan plan = Plan();
  plan.row_bytes = 3'000'000;
  EXPECT_NE(
      PlanText(plan, {}).find("\n  rows        3.0 MB on the servers, with "
                              "their optimizer's state\n"),
      std::string::npos);
}

TEST(PlanTextTest, ARingThatIsTooSmallToPrefetch) {
  const std::string text = PlanText(
      Plan(), {.model = "gat", .buffer_size = 4'500'000, .prefetch_size = 4});
  EXPECT_NE(text.find("room for 4 batches of train, fewer than --prefetch 4 "
                      "and one in use"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tributary
