#include "benchmarks/lib/measure/rate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tributary {
namespace {

TEST(MeasureRateTest, EachThreadAtLeastOnceAndAllAreSummed) {
  std::vector<int> runs(3);
  const MeasuredRate rate =
      MeasureRate(3, absl::ZeroDuration(), [&](int thread) -> uint64_t {
        ++runs[static_cast<size_t>(thread)];
        return 5;
      });
  EXPECT_EQ(runs, (std::vector<int>{1, 1, 1}));
  EXPECT_GT(rate.per_second, 0);
  EXPECT_GT(rate.per_cpu_second, 0);
}

TEST(MeasureRateTest, RunsForTheTimeAndDividesByIt) {
  uint64_t runs = 0;
  const MeasuredRate rate =
      MeasureRate(1, absl::Milliseconds(20), [&](int) -> uint64_t {
        ++runs;
        return 1;
      });
  EXPECT_GT(runs, 1);
  EXPECT_LE(rate.per_second, static_cast<double>(runs) / 0.02);
  EXPECT_GE(rate.per_cpu_second, rate.per_second * 0.99);
}

}  // namespace
}  // namespace tributary
