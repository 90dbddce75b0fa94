#include "trainer_client/core/session/epoch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tributary {
namespace {

// Everything that all ranks take, in order of index; checks that ranks are
// disjoint.
std::vector<uint64_t> TakeAll(EpochOrderOptions options, const Cursor& cursor) {
  std::vector<std::pair<uint64_t, uint64_t>> taken;  // index, rank
  for (options.rank = 0; options.rank < options.world; ++options.rank) {
    const EpochOrder order(options, cursor);
    for (uint64_t i = 0; i < order.BatchesOfRank(); ++i) {
      taken.emplace_back(order.IndexOfRank(i), options.rank);
    }
  }
  std::sort(taken.begin(), taken.end());
  options.rank = 0;
  const EpochOrder order(options, cursor);
  std::vector<uint64_t> inputs;
  for (size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i].first, order.begin_index() + i);
    EXPECT_EQ(taken[i].second, i % options.world);
    for (uint64_t n : order.InputNumbers(taken[i].first)) inputs.push_back(n);
  }
  EXPECT_EQ(taken.size(), order.end_index() - order.begin_index());
  return inputs;
}

std::vector<uint64_t> Sorted(std::vector<uint64_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

std::vector<uint64_t> Iota(uint64_t n) {
  std::vector<uint64_t> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST(EpochOrder, FollowsThePublishedOrder) {
  // docs/sampling.md: seed 11, epoch 2, ten inputs.
  const EpochOrder order({.num_inputs = 10, .batch_size = 4, .random_seed = 11},
                         {.epoch = 2});
  EXPECT_EQ(order.begin_index(), 0);
  EXPECT_EQ(order.end_index(), 3);
  EXPECT_EQ(order.InputNumbers(0), (std::vector<uint64_t>{9, 6, 3, 2}));
  EXPECT_EQ(order.InputNumbers(1), (std::vector<uint64_t>{0, 5, 4, 7}));
  EXPECT_EQ(order.InputNumbers(2), (std::vector<uint64_t>{1, 8}));
  EXPECT_EQ(order.InputsInBatch(2), 2);
  EXPECT_EQ(order.InputsInBatch(3), 0);
}

TEST(EpochOrder, WithoutShuffleTheListsOwnOrder) {
  const EpochOrder order({.num_inputs = 5, .batch_size = 2, .shuffle = false},
                         {});
  EXPECT_EQ(order.InputNumbers(1), (std::vector<uint64_t>{2, 3}));
}

TEST(EpochOrder, ByWeightAsTheDocumentDraws) {
  const auto weights = WeightedOrder::Make({1, 2, 0, 3, 4});
  ASSERT_TRUE(weights.ok()) << weights.status();
  EpochOrderOptions options{
      .num_inputs = 5, .batch_size = 2, .random_seed = 11};
  options.weighted = std::make_shared<const WeightedOrder>(*weights);
  const EpochOrder order(options, {.epoch = 2});
  EXPECT_EQ(order.end_index(), 3);
  EXPECT_EQ(order.InputNumbers(0), (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(order.InputNumbers(2), (std::vector<uint64_t>{3}));
  // From a cursor on, the same positions.
  const EpochOrder rest(options, {.epoch = 2, .consumed = 4, .next_index = 2});
  EXPECT_EQ(rest.InputNumbers(2), order.InputNumbers(2));
}

TEST(EpochOrder, EachInputOnceForAnyWorldAndBatchSize) {
  for (uint32_t world : {1, 2, 3, 7}) {
    for (uint64_t batch_size : {1, 3, 8, 100, 101, 1000}) {
      const auto inputs = TakeAll({.num_inputs = 100,
                                   .batch_size = batch_size,
                                   .random_seed = 5,
                                   .world = world},
                                  {.epoch = 1});
      EXPECT_EQ(Sorted(inputs), Iota(100)) << world << " " << batch_size;
    }
  }
}

TEST(EpochOrder, AnotherWorldAndBatchSizeGoOnFromACursor) {
  const EpochOrderOptions first{
      .num_inputs = 103, .batch_size = 4, .random_seed = 9, .world = 3};
  const Cursor cursor = EpochOrder(first, {.epoch = 6}).CursorAfter(5);
  EXPECT_EQ(cursor.epoch, 6);
  EXPECT_EQ(cursor.next_index, 15);
  EXPECT_EQ(cursor.consumed, 60);

  std::vector<uint64_t> all;
  const EpochOrder before(first, {.epoch = 6});
  for (uint64_t g = 0; g < 15; ++g) {
    for (uint64_t n : before.InputNumbers(g)) all.push_back(n);
  }
  EpochOrderOptions second = first;
  second.batch_size = 7;
  second.world = 2;
  const EpochOrder after(second, cursor);
  EXPECT_EQ(after.begin_index(), 15);
  EXPECT_EQ(after.end_index(), 15 + 7);  // 43 inputs by 7
  for (uint64_t n : TakeAll(second, cursor)) all.push_back(n);
  EXPECT_EQ(Sorted(all), Iota(103));
}

TEST(EpochOrder, CursorStopsAtTheEnd) {
  const EpochOrder order({.num_inputs = 10, .batch_size = 4, .world = 2}, {});
  EXPECT_EQ(order.CursorAfter(1).consumed, 8);
  EXPECT_EQ(order.CursorAfter(2).consumed, 10);
  EXPECT_EQ(order.CursorAfter(2).next_index, 3);
  EXPECT_EQ(order.CursorAfter(UINT64_MAX), order.CursorAfter(2));
  const Cursor end = order.CursorAfter(2);
  const EpochOrder none({.num_inputs = 10, .batch_size = 4}, end);
  EXPECT_EQ(none.BatchesOfRank(), 0);
}

TEST(EpochOrder, LastRoundIsShort) {
  EpochOrderOptions options{.num_inputs = 10, .batch_size = 4, .world = 2};
  EXPECT_EQ(EpochOrder(options, {}).BatchesOfRank(), 2);  // 0 and 2
  options.rank = 1;
  EXPECT_EQ(EpochOrder(options, {}).BatchesOfRank(), 1);
  options.world = 9;
  options.rank = 8;
  EXPECT_EQ(EpochOrder(options, {}).BatchesOfRank(), 0);
}

TEST(EpochOrder, DropLastLeavesTheShortBatchOut) {
  const EpochOrder order({.num_inputs = 10, .batch_size = 4, .drop_last = true},
                         {});
  EXPECT_EQ(order.end_index(), 2);
  EXPECT_EQ(EpochOrder::NumBatches(10, 4, true), 2);
  EXPECT_EQ(EpochOrder::NumBatches(10, 4, false), 3);
  EXPECT_EQ(EpochOrder::NumBatches(0, 4, false), 0);
}

TEST(EpochOrder, LimitKeepsIndicesAndTheirInputs) {
  EpochOrder order({.num_inputs = 100, .batch_size = 10, .random_seed = 3}, {});
  const auto seventh = order.InputNumbers(7);
  order.Limit(6, 8);
  EXPECT_EQ(order.BatchesOfRank(), 2);
  EXPECT_EQ(order.IndexOfRank(1), 7);
  EXPECT_EQ(order.InputNumbers(7), seventh);
  EXPECT_EQ(order.InputsInBatch(8), 0);
  order.Limit(50, 60);
  EXPECT_EQ(order.BatchesOfRank(), 0);
}

}  // namespace
}  // namespace tributary
