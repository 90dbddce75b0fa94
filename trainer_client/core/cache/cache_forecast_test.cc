// What a cache saves, beside what is counted node by node.
#include "trainer_client/core/cache/cache_forecast.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "trainer_client/core/cache/testing/node_batch.h"

namespace tributary {
namespace {

constexpr uint64_t kRowBytes = 400;

// Node i has rank i.
CacheForecast ForecastOf(uint64_t most_rows) {
  CacheForecast forecast({{.name = "node",
                           .most_rows = most_rows,
                           .row_bytes = kRowBytes,
                           .fetched_bytes = kRowBytes}});
  std::vector<int64_t> ids(most_rows + 100);
  std::iota(ids.begin(), ids.end(), 0);
  // In two blocks.
  const auto all = absl::MakeConstSpan(ids);
  forecast.AddRanks(0, 0, all.first(ids.size() / 2));
  forecast.AddRanks(0, ids.size() / 2, all.subspan(ids.size() / 2));
  return forecast;
}

TEST(CacheForecast, CountsTheRowsOfBatches) {
  CacheForecast forecast = ForecastOf(3200);
  // Of 100 rows 60 are the first ranks, 20 are among the others.
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 60; ++i) ids.push_back(i);
  for (int64_t i = 0; i < 20; ++i) ids.push_back(3000 + i);
  for (int64_t i = 0; i < 20; ++i) ids.push_back(10'000 + i);
  const NodeBatch batch(ids, kRowBytes);
  for (int i = 0; i < 10; ++i)
    forecast.Observe(batch.view(), batch.view().payload_bytes());
  // A long epoch: all pay.
  CacheForecast::Choice choice = forecast.Choose(1000);
  EXPECT_DOUBLE_EQ(choice.batch_bytes, 100 * (kRowBytes + 8));
  EXPECT_DOUBLE_EQ(choice.share, 31. / 32);  // the last ranks are not read
  EXPECT_DOUBLE_EQ(choice.saved, 80. * kRowBytes / (100 * (kRowBytes + 8)));
  EXPECT_DOUBLE_EQ(choice.fetched_bytes, 3100. * kRowBytes);
  // Of ten batches the first ranks alone: 600 rows for 100.
  choice = forecast.Choose(10);
  EXPECT_DOUBLE_EQ(choice.share, 1. / 32);
  EXPECT_DOUBLE_EQ(choice.saved, 60. * kRowBytes / (100 * (kRowBytes + 8)));
  // Of one batch nothing.
  EXPECT_EQ(forecast.Choose(1).share, 0);
}

TEST(CacheForecast, WhatSavesLittleIsNotChosen) {
  CacheForecast forecast = ForecastOf(3200);
  std::vector<int64_t> ids(100);
  std::iota(ids.begin(), ids.end(), 3180);  // 20 of them
  const NodeBatch batch(ids, kRowBytes);
  forecast.Observe(batch.view(), batch.view().payload_bytes());
  const CacheForecast::Choice choice = forecast.Choose(1'000'000);
  EXPECT_EQ(choice.share, 0);
  EXPECT_NEAR(choice.saved, 0.2, 0.01);
}

TEST(CacheForecast, WithoutBatchesNothingIsChosen) {
  EXPECT_EQ(ForecastOf(10).Choose(1000).share, 0);
}

// Large lists and batches are sampled; what is counted is near to what is
// there.
TEST(CacheForecast, SamplesOfLargeListsAndBatches) {
  constexpr uint64_t kRows = 3'000'000;
  CacheForecast forecast = ForecastOf(kRows);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 200'000; ++i) ids.push_back(i * 7);
  for (int64_t i = 0; i < 200'000; ++i) ids.push_back(kRows + 1000 + i);
  const NodeBatch batch(ids, kRowBytes);
  forecast.Observe(batch.view(), batch.view().payload_bytes());
  const CacheForecast::Choice choice = forecast.Choose(1'000'000);
  EXPECT_NEAR(choice.saved, 0.5 * kRowBytes / (kRowBytes + 8), 0.01);
}

}  // namespace
}  // namespace tributary
