#include "sampler_server/service/load/recent_counts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

const absl::Time kStart = absl::UnixEpoch() + absl::Hours(1);

TEST(RecentCountsTest, CountsFromTheStartBeforeAMinuteHasPassed) {
  RecentCounts<2> counts;
  EXPECT_THAT(counts.Growth(kStart, {3, 4}), ElementsAre(3, 4));
  counts.Add(kStart, {3, 4});
  EXPECT_THAT(counts.Growth(kStart + absl::Seconds(59), {5, 4}),
              ElementsAre(5, 4));
}

TEST(RecentCountsTest, ForgetsWhatIsOlderThanAMinute) {
  RecentCounts<1> counts;
  for (uint64_t i = 0; i < 100; ++i) {  // one a second, sampled every 5 s
    counts.Add(kStart + absl::Seconds(5 * i), {5 * i});
  }
  EXPECT_THAT(counts.Growth(kStart + absl::Seconds(495), {495}),
              ElementsAre(60));
  EXPECT_THAT(counts.Growth(kStart + absl::Seconds(499), {495}),
              ElementsAre(60));
  EXPECT_THAT(counts.Growth(kStart + absl::Seconds(560), {495}),
              ElementsAre(0));
}

TEST(RecentCountsTest, ACounterThatWasMadeAnewCountsNothing) {
  RecentCounts<1> counts;
  counts.Add(kStart, {9});
  EXPECT_THAT(counts.Growth(kStart + absl::Minutes(1), {2}), ElementsAre(0));
}

}  // namespace
}  // namespace tributary
