#include "trainer_client/core/window/batch_trail.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

const Address kOne{"10.0.0.1", 1};
const Address kTwo{"10.0.0.2", 2};

absl::Time At(int ms) { return absl::UnixEpoch() + absl::Milliseconds(ms); }

TEST(BatchTrail, KeepsEachRequestAndShiftsItsTimes) {
  BatchTrail trail;
  trail.Asked(kOne, At(1));
  trail.Asked(kTwo, At(5));
  trail.Ended(kOne, At(7), absl::UnavailableError("gone"));
  v1::BatchTrace trace;
  trace.set_inputs(3);
  trail.Ended(kTwo, At(9), absl::OkStatus(), &trace);
  trail.Ready(At(9));
  const BatchTimeline timeline = trail.Take(absl::Seconds(100));
  ASSERT_EQ(timeline.attempts.size(), 2u);
  EXPECT_EQ(timeline.attempts[0].server, "10.0.0.1:1");
  EXPECT_EQ(timeline.attempts[0].asked, At(100001));
  EXPECT_EQ(timeline.attempts[0].ended, At(100007));
  EXPECT_TRUE(absl::IsUnavailable(timeline.attempts[0].status));
  EXPECT_FALSE(timeline.attempts[0].trace.has_value());
  EXPECT_EQ(timeline.attempts[1].ended, At(100009));
  EXPECT_EQ(timeline.attempts[1].trace->inputs(), 3u);
  EXPECT_EQ(timeline.ready, At(100009));
}

TEST(BatchTrail, ARequestWithoutAnAnswerHasNoEnd) {
  BatchTrail trail;
  trail.Asked(kOne, At(1));
  trail.Ended(kTwo, At(2), absl::OkStatus());
  EXPECT_EQ(trail.Take(absl::Seconds(1)).attempts[0].ended,
            absl::InfiniteFuture());
}

TEST(BatchTrail, TheSameServerAskedAgainIsAnotherAttempt) {
  BatchTrail trail;
  trail.Asked(kOne, At(1));
  trail.Ended(kOne, At(2), absl::ResourceExhaustedError("room"));
  trail.Asked(kOne, At(3));
  trail.Ended(kOne, At(4), absl::OkStatus());
  const BatchTimeline timeline = trail.Take(absl::ZeroDuration());
  ASSERT_EQ(timeline.attempts.size(), 2u);
  EXPECT_FALSE(timeline.attempts[0].status.ok());
  EXPECT_TRUE(timeline.attempts[1].status.ok());
  EXPECT_EQ(timeline.attempts[1].ended, At(4));
}

TEST(BatchTrail, TheLatestAttemptsAreKept) {
  BatchTrail trail;
  const int n = static_cast<int>(BatchTimeline::kMost) + 3;
  for (int i = 0; i < n; ++i) trail.Asked(kOne, At(i));
  const BatchTimeline timeline = trail.Take(absl::ZeroDuration());
  EXPECT_EQ(timeline.attempts.size(), BatchTimeline::kMost);
  EXPECT_EQ(timeline.attempts.front().asked, At(3));
  EXPECT_EQ(timeline.more_attempts, 3u);
}

}  // namespace
}  // namespace tributary
