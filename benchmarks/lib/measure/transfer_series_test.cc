#include "benchmarks/lib/measure/transfer_series.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(TransferSeriesTest, AddsRatesAndCpuSecondsOfAGigabyte) {
  TransferSeries series;
  series.Add({.seconds = 2, .sender_cpu_seconds = 1, .receiver_cpu_seconds = 3},
             4'000'000'000);
  ASSERT_EQ(series.rates.size(), 1u);
  EXPECT_DOUBLE_EQ(series.rates[0], 2);
  EXPECT_DOUBLE_EQ(series.sender_cpus[0], 0.25);
  EXPECT_DOUBLE_EQ(series.receiver_cpus[0], 0.75);
}

TEST(TransferSeriesTest, MedianIsTheUpperOfTwo) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 3);
}

TEST(TransferSeriesTest, TextHasMediansAndTheRangeOfRates) {
  TransferSeries series;
  for (const double seconds : {1.0, 0.5, 0.25}) {
    series.Add({seconds, 0.5 * seconds, 2 * seconds}, 1'000'000'000);
  }
  EXPECT_EQ(ToText(series),
            "2.00 GB/s (1.00 to 4.00); CPU s/GB: sender 0.25, receiver 1.00");
}

}  // namespace
}  // namespace tributary
