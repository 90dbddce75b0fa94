#include "trainer_client/core/recent_wait.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

absl::Time At(double seconds) {
  return absl::FromUnixSeconds(1000) + absl::Seconds(seconds);
}

TEST(RecentWaitTest, NothingBeforeTheObservation) {
  RecentWait wait;
  EXPECT_EQ(wait.Ratio(At(0)), 0);
  wait.Begin(At(0));
  EXPECT_EQ(wait.Ratio(At(0)), 0);
  EXPECT_EQ(wait.Ratio(At(5)), 0);
}

TEST(RecentWaitTest, ShareSinceTheBeginning) {
  RecentWait wait;
  wait.Begin(At(0.5));
  wait.Begin(At(3));  // it has begun
  wait.Add(At(0.5), At(3.5));
  EXPECT_DOUBLE_EQ(wait.Ratio(At(3.5)), 1);
  EXPECT_DOUBLE_EQ(wait.Ratio(At(12.5)), 0.25);
}

// Of a wait from 10 to 40 the window of the seconds 20 to 79 has 20 s, that of
// 30 to 89 has 10 s.
TEST(RecentWaitTest, OnlyTheLastMinuteCounts) {
  RecentWait wait;
  wait.Begin(At(0));
  wait.Add(At(10), At(40));
  EXPECT_DOUBLE_EQ(wait.Ratio(At(60)), 30.0 / 59);  // the seconds 1 to 60
  EXPECT_DOUBLE_EQ(wait.Ratio(At(79.5)), 20 / 59.5);
  EXPECT_DOUBLE_EQ(wait.Ratio(At(89.5)), 10 / 59.5);
  EXPECT_EQ(wait.Ratio(At(100)), 0);
}

// The second wait uses the first one's buckets again.
TEST(RecentWaitTest, ARingOfBuckets) {
  RecentWait wait;
  wait.Begin(At(0));
  wait.Add(At(3.25), At(3.75));
  wait.Add(At(63), At(63.25));
  EXPECT_DOUBLE_EQ(wait.Ratio(At(63.5)), 0.25 / 59.5);
}

TEST(RecentWaitTest, ShortWaitsOfOneSecondAddUp) {
  RecentWait wait;
  wait.Begin(At(0));
  for (int i = 0; i < 8; ++i) wait.Add(At(i / 8.0), At(i / 8.0 + 0.0625));
  EXPECT_DOUBLE_EQ(wait.Ratio(At(1)), 0.5);
}

// The first minute counts as a whole one; from then on both are the same.
TEST(RecentWaitTest, TheShareOfAMinuteGrowsWithTheFirstMinute) {
  RecentWait wait;
  EXPECT_EQ(wait.MinuteRatio(At(0)), 0);
  wait.Begin(At(0));
  EXPECT_EQ(wait.MinuteRatio(At(0)), 0);
  wait.Add(At(0), At(3));
  EXPECT_DOUBLE_EQ(wait.Ratio(At(3)), 1);
  EXPECT_DOUBLE_EQ(wait.MinuteRatio(At(3)), 0.05);
  EXPECT_DOUBLE_EQ(wait.MinuteRatio(At(45)), 0.05);
  wait.Add(At(45), At(75));
  EXPECT_DOUBLE_EQ(wait.MinuteRatio(At(75)), 30.0 / 59);
  EXPECT_DOUBLE_EQ(wait.MinuteRatio(At(75)), wait.Ratio(At(75)));
}

TEST(RecentWaitTest, AWaitOfHoursFillsTheWindow) {
  RecentWait wait;
  wait.Begin(At(0));
  wait.Add(At(0), At(7200.5));
  EXPECT_DOUBLE_EQ(wait.Ratio(At(7200.5)), 1);
  EXPECT_DOUBLE_EQ(wait.Ratio(At(7230.5)), 29.5 / 59.5);  // 7171 to 7200.5
}

}  // namespace
}  // namespace tributary
