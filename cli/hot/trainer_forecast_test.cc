// Forecasts of trainers that hold rows, by counts worked out by hand.
#include "cli/hot/trainer_forecast.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

// 1000 nodes of 84 bytes: 10 were read 9 times and 600 times later, 40 were
// read 2 times and 200 times later, the others never, and 200 times later.
ForecastType Wide() {
  return {1000, true, 84, {{9, {10, 600}}, {2, {40, 200}}, {0, {950, 200}}}};
}

TEST(TrainerForecast, TheMostReadRowsAreHeldFirst) {
  const TrainerForecasts made = ForecastTrainers(
      {{Wide()}}, {.batches = 10, .bytes = 16'000, .batches_of_epoch = 10});
  // 1000 rows of 84 bytes and the rest, in ten batches.
  EXPECT_DOUBLE_EQ(made.batch_bytes, 10'000);
  ASSERT_EQ(made.shares.size(), 6u);
  const TrainerForecast& first = made.shares[0];
  EXPECT_DOUBLE_EQ(first.share, 0.01);
  EXPECT_DOUBLE_EQ(first.covered, 0.6);
  EXPECT_DOUBLE_EQ(first.batch_bytes, 10'000 - 60 * 84);
  EXPECT_DOUBLE_EQ(first.held_bytes, 10 * 100);
  EXPECT_DOUBLE_EQ(first.fetched_bytes, 10 * 96);
  EXPECT_DOUBLE_EQ(first.saved_bytes, 600 * 84);
  // A quarter of those that tie, of which each has the same share.
  EXPECT_DOUBLE_EQ(made.shares[1].covered, 0.65);
  EXPECT_DOUBLE_EQ(made.shares[2].covered, 0.8);
  // Rows that nothing has read follow: 450 of 950.
  EXPECT_DOUBLE_EQ(made.shares[5].covered, 0.8 + 0.2 * 450 / 950);
}

TEST(TrainerForecast, PaysIfAnEpochSavesMoreThanIsFetched) {
  ForecastType type = Wide();
  type.all = {{1, {10, 12}}, {0, {990, 0}}};
  const LaterBatches all{.batches = 2, .bytes = 0, .batches_of_epoch = 2};
  // 12 rows of 84 bytes are saved; 10 of 96 are fetched, or 20.
  EXPECT_TRUE(ForecastTrainers({{type}}, all).shares[0].pays);
  EXPECT_FALSE(ForecastTrainers({{type}}, all).shares[1].pays);
  // An epoch of twice as many batches as were sampled saves twice as much.
  const LaterBatches half{.batches = 2, .bytes = 0, .batches_of_epoch = 4};
  EXPECT_TRUE(ForecastTrainers({{type}}, half).shares[1].pays);
}

TEST(TrainerForecast, LittleOfABatchDoesNotPay) {
  ForecastType type = Wide();
  type.all = {{1, {10, 24}}, {0, {990, 76}}};
  const LaterBatches later{.batches = 1, .bytes = 0, .batches_of_epoch = 1000};
  EXPECT_FALSE(ForecastTrainers({{type}}, later).shares[0].pays);
  type.all = {{1, {10, 25}}, {0, {990, 75}}};
  EXPECT_TRUE(ForecastTrainers({{type}}, later).shares[0].pays);
}

TEST(TrainerForecast, SomeTypesAreNotHeld) {
  ForecastType narrow = Wide();
  narrow.row_bytes = 8;
  narrow.held = false;
  const TrainerForecasts made = ForecastTrainers(
      {{narrow, Wide()}}, {.batches = 1, .bytes = 0, .batches_of_epoch = 1});
  EXPECT_DOUBLE_EQ(made.batch_bytes, 1000 * (8 + 84));
  EXPECT_DOUBLE_EQ(made.shares[0].covered, 0.3);
  EXPECT_DOUBLE_EQ(made.shares[0].held_bytes, 10 * 100);
}

TEST(TrainerForecast, WithoutBatchesNothingIsSaved) {
  const TrainerForecasts made = ForecastTrainers({}, {});
  EXPECT_DOUBLE_EQ(made.batch_bytes, 0);
  EXPECT_FALSE(made.shares[0].pays);
}

}  // namespace
}  // namespace tributary
