#include "trainer_client/torch/train/batch_rounds.h"

#include <gtest/gtest.h>

#include <memory>

#include "trainer_client/torch/testing/in_memory_loader.h"

namespace tributary {
namespace {

// 10 training inputs in 3 batches of 4, 4 and 2.
std::unique_ptr<DistLoader> Loader(int rank, int world) {
  NeighborLoaderOptions options;
  options.input_split = "train";
  options.num_neighbors = {1};
  options.batch_size = 4;
  options.rank = rank;
  options.world = world;
  auto loader = MakeInMemoryLoader(
      std::make_shared<InMemoryGraph>(CommunityGraph(1, 30, 1)), options);
  EXPECT_TRUE(loader.ok()) << loader.status();
  EXPECT_TRUE((*loader)->StartEpoch(0).ok());
  return *std::move(loader);
}

TEST(BatchRoundsTest, TheLastRoundMayHaveNoBatchForARank) {
  const auto first = Loader(0, 2), second = Loader(1, 2);
  BatchRounds of_first(first.get(), 0, 2), of_second(second.get(), 1, 2);
  EXPECT_EQ(of_first.count(), 2u);
  EXPECT_EQ(of_second.count(), 2u);
  EXPECT_EQ(of_first.Inputs(0), 8u);
  EXPECT_EQ(of_second.Inputs(1), 2u);
  EXPECT_EQ((**of_first.Batch(0)).index(), 0u);
  EXPECT_EQ((**of_second.Batch(0)).index(), 1u);
  EXPECT_EQ((**of_first.Batch(1)).index(), 2u);
  const auto none = of_second.Batch(1);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_value());
}

// Three rounds of 4, 4 and 2 inputs.
TEST(BatchRoundsTest, TheLastStepMayHaveFewerRounds) {
  const auto loader = Loader(0, 1);
  const BatchRounds rounds(loader.get(), 0, 1);
  EXPECT_EQ(rounds.StepOf(0, 1), (StepRounds{0, 1}));
  EXPECT_EQ(rounds.StepOf(2, 1), (StepRounds{2, 3}));
  EXPECT_EQ(rounds.StepOf(0, 2), (StepRounds{0, 2}));
  EXPECT_EQ(rounds.StepOf(1, 2), (StepRounds{0, 2}));
  EXPECT_EQ(rounds.StepOf(2, 2), (StepRounds{2, 3}));
  EXPECT_EQ(rounds.StepOf(1, uint64_t{1} << 63), (StepRounds{0, 3}));
  EXPECT_EQ(rounds.Inputs(StepRounds{0, 2}), 8u);
  EXPECT_EQ(rounds.Inputs(StepRounds{2, 3}), 2u);
}

// One round of two ranks was taken: of three ranks each takes one of the rest.
TEST(BatchRoundsTest, ResumedRoundsBeginAtTheCursor) {
  const Cursor cursor = Loader(0, 1)->CursorAfter(1);
  const auto loader = Loader(1, 2);
  ASSERT_TRUE(loader->Resume(cursor).ok());
  BatchRounds rounds(loader.get(), 1, 2);
  EXPECT_EQ(rounds.count(), 1u);
  EXPECT_EQ(rounds.Inputs(0), 6u);
  EXPECT_EQ((**rounds.Batch(0)).index(), 2u);
}

TEST(BatchRoundsTest, AnotherBatchThanTheOneDueIsAnError) {
  const auto loader = Loader(0, 2);
  BatchRounds rounds(loader.get(), 0, 1);
  EXPECT_EQ(rounds.count(), 3u);
  EXPECT_EQ((**rounds.Batch(0)).index(), 0u);
  EXPECT_EQ(
      rounds.Batch(1).status(),
      absl::InternalError("the loader gave batch 2 where batch 1 was due"));
  EXPECT_EQ(rounds.Batch(2).status(),
            absl::InternalError(
                "the loader gave the epoch's end where batch 2 was due"));
}

}  // namespace
}  // namespace tributary
