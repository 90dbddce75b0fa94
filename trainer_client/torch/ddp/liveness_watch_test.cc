#include "trainer_client/torch/ddp/liveness_watch.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr SilenceLimits kLimits{.start = absl::Seconds(20),
                                .alive = absl::Seconds(5),
                                .progress = absl::Seconds(10)};

class LivenessWatchTest : public ::testing::Test {
 protected:
  // Observes once a second, `seconds` times, the same counters.
  void Pass(int seconds, std::vector<Beats> beats) {
    for (int i = 0; i < seconds; ++i) {
      now_ += absl::Seconds(1);
      watch_.Observe(beats, now_);
    }
  }
  std::string Reason(size_t member) {
    return watch_.FrozenReason(member).value_or("alive");
  }

  absl::Time now_ = absl::UnixEpoch();
  LivenessWatch watch_{2, kLimits, now_};
};

TEST_F(LivenessWatchTest, NamesTheMemberThatStops) {
  Pass(1, {{1, 0}, {1, 0}});
  for (uint64_t beat = 2; beat < 6; ++beat) Pass(1, {{beat, 0}, {1, 0}});
  EXPECT_EQ(Reason(1), "alive");  // silent for 4 s
  Pass(1, {{6, 0}, {1, 0}});
  EXPECT_EQ(Reason(0), "alive");
  EXPECT_EQ(Reason(1), "no heartbeat for 5 s");
  Pass(1, {{7, 0}, {2, 0}});
  EXPECT_EQ(Reason(1), "alive");
}

TEST_F(LivenessWatchTest, StartHasItsOwnLimit) {
  Pass(19, {{0, 0}, {0, 0}});
  EXPECT_EQ(Reason(0), "alive");
  Pass(1, {{0, 0}, {1, 0}});
  EXPECT_EQ(Reason(0), "no heartbeat in its first 20 s");
  EXPECT_EQ(Reason(1), "alive");
}

TEST_F(LivenessWatchTest, ProgressCountsFromItsFirstBeat) {
  uint64_t beat = 1;
  for (; beat < 100; ++beat) Pass(1, {{beat, 0}, {beat, 0}});
  EXPECT_EQ(Reason(0), "alive");
  for (; beat < 110; ++beat) Pass(1, {{beat, 1}, {beat, beat}});
  EXPECT_EQ(Reason(0), "alive");  // 9 s
  Pass(1, {{beat, 1}, {beat, beat}});
  EXPECT_EQ(Reason(0), "no progress for 10 s, though its process lives");
  EXPECT_EQ(Reason(1), "alive");
}

// The machine slept, or the watching process was stopped for an hour.
TEST_F(LivenessWatchTest, OwnAbsenceCountsAsThreeSeconds) {
  Pass(1, {{1, 1}, {1, 1}});
  now_ += absl::Hours(1);
  watch_.Observe({{1, 1}, {1, 1}}, now_);
  EXPECT_EQ(Reason(0), "alive");
  Pass(2, {{1, 1}, {2, 2}});
  EXPECT_EQ(Reason(0), "no heartbeat for 5 s");
  EXPECT_EQ(Reason(1), "alive");
}

}  // namespace
}  // namespace tributary
