#include "sampler_server/service/load/recent_share.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace tributary {
namespace {

absl::Time At(double seconds) {
  return absl::FromUnixSeconds(1000) + absl::Seconds(seconds);
}

TEST(RecentShareTest, NothingWithoutASample) {
  RecentShare share;
  EXPECT_EQ(share.At(At(5), absl::Seconds(5)), 0);
}

TEST(RecentShareTest, TheFirstMinuteCountsAsAWholeOne) {
  RecentShare share;
  share.Add(At(0), absl::ZeroDuration());
  EXPECT_DOUBLE_EQ(share.At(At(6), absl::Seconds(6)), 0.1);
  EXPECT_DOUBLE_EQ(share.At(At(60), absl::Seconds(15)), 0.25);
}

// In use from 10 to 40; samples each second.
TEST(RecentShareTest, OnlyTheLastMinuteCounts) {
  RecentShare share;
  const auto total = [](double seconds) {
    return absl::Seconds(std::clamp(seconds - 10, 0.0, 30.0));
  };
  for (int second = 0; second <= 120; ++second) {
    share.Add(At(second), total(second));
    const double expected =
        absl::ToDoubleSeconds(total(second) - total(std::max(0, second - 60)));
    EXPECT_NEAR(share.At(At(second), total(second)), expected / 60, 1e-9)
        << second;
  }
}

TEST(RecentShareTest, BetweenSamplesTheTotalGrowsEvenly) {
  RecentShare share;
  share.Add(At(0), absl::ZeroDuration());
  share.Add(At(10), absl::Seconds(10));
  EXPECT_DOUBLE_EQ(share.At(At(65), absl::Seconds(10)), 5.0 / 60);
  EXPECT_NEAR(share.At(At(75), absl::Seconds(42)), 32.0 / 65, 1e-9);
}

// Scrapes may come at any rate; samples that are close together are dropped.
TEST(RecentShareTest, SamplesCloseTogetherAreDropped) {
  RecentShare share;
  share.Add(At(0), absl::ZeroDuration());
  share.Add(At(0.4), absl::Seconds(100));
  EXPECT_NEAR(share.At(At(60.4), absl::Seconds(30)),
              (30 - 30 * 0.4 / 60.4) / 60, 1e-9);
}

TEST(RecentShareTest, AShareIsNeverBeyondOne) {
  RecentShare share;
  share.Add(At(0), absl::ZeroDuration());
  EXPECT_EQ(share.At(At(1), absl::Seconds(500)), 1);
  share.Add(At(1), absl::Seconds(500));
  EXPECT_EQ(share.At(At(62), absl::Seconds(400)), 0);  // booked, and taken back
}

}  // namespace
}  // namespace tributary
