#include "sampler_server/service/grants/reader_stall.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

absl::Time At(int milliseconds) {
  return absl::UnixEpoch() + absl::Milliseconds(milliseconds);
}

constexpr absl::Time kNobody = absl::InfiniteFuture();

TEST(ReaderStallTest, IsStalledAfterTwoSecondsWhileMemoryIsWanted) {
  ReaderStall stall(At(0));
  stall.BeginSending(At(1000));
  EXPECT_EQ(stall.Poll(At(2999), true, 0, At(0)), std::nullopt);
  EXPECT_EQ(stall.Poll(At(3000), true, 0, At(0)), absl::Seconds(2));
}

TEST(ReaderStallTest, IsWaitedForUntilMemoryIsWantedForATenthOfASecond) {
  ReaderStall stall(At(0));
  EXPECT_EQ(stall.Poll(At(9000), true, 0, kNobody), std::nullopt);
  EXPECT_EQ(stall.Poll(At(9099), true, 0, At(9000)), std::nullopt);
  EXPECT_EQ(stall.Poll(At(9100), true, 0, At(9000)), absl::Milliseconds(9100));
}

TEST(ReaderStallTest, AFrameThatIsTakenBeginsTheTimeAnew) {
  ReaderStall stall(At(0));
  EXPECT_EQ(stall.Poll(At(1900), true, 1, At(0)), std::nullopt);
  EXPECT_EQ(stall.Poll(At(3800), true, 1, At(0)), std::nullopt);
  EXPECT_EQ(stall.Poll(At(3900), true, 1, At(0)), absl::Seconds(2));
}

TEST(ReaderStallTest, TimeWithNothingToTakeDoesNotCount) {
  ReaderStall stall(At(0));
  EXPECT_EQ(stall.Poll(At(5000), false, 0, At(0)), std::nullopt);
  EXPECT_EQ(stall.Poll(At(6900), true, 0, At(0)), std::nullopt);
  // Between two polls the last batch has gone, and another has come.
  stall.BeginSending(At(6950));
  EXPECT_EQ(stall.Poll(At(7000), true, 0, At(0)), std::nullopt);
  EXPECT_EQ(stall.Poll(At(8950), true, 0, At(0)), absl::Seconds(2));
}

}  // namespace
}  // namespace tributary
