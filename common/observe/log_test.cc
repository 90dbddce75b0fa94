#include "common/observe/log.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

const absl::Time kStart = absl::UnixEpoch();

TEST(ParseLogLevelTest, KnowsItsNamesOnly) {
  EXPECT_EQ(ParseLogLevel("warning").value(), LogLevel::kWarning);
  EXPECT_EQ(ParseLogLevel("loud").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RepeatLimitTest, CountsWhatItLeavesOut) {
  RepeatLimit limit(absl::Seconds(10), 4);
  EXPECT_EQ(limit.Admit("a", kStart), 0u);
  EXPECT_EQ(limit.Admit("a", kStart + absl::Seconds(1)), std::nullopt);
  EXPECT_EQ(limit.Admit("a", kStart + absl::Seconds(9)), std::nullopt);
  EXPECT_EQ(limit.Admit("b", kStart + absl::Seconds(9)), 0u);
  EXPECT_EQ(limit.Admit("a", kStart + absl::Seconds(10)), 2u);
  EXPECT_EQ(limit.Admit("a", kStart + absl::Seconds(20)), 0u);
}

TEST(RepeatLimitTest, ForgetsTheOldestKeyFirst) {
  RepeatLimit limit(absl::Seconds(10), 2);
  limit.Admit("old", kStart);
  limit.Admit("new", kStart + absl::Seconds(1));
  limit.Admit("third", kStart + absl::Seconds(2));
  EXPECT_EQ(limit.Admit("new", kStart + absl::Seconds(3)), std::nullopt);
  EXPECT_EQ(limit.Admit("old", kStart + absl::Seconds(3)), 0u);
}

TEST(LogTest, DropsWhatIsBelowTheLevel) {
  SetLogLevel(LogLevel::kWarning);
  EXPECT_FALSE(LogEnabled(LogLevel::kInfo));
  EXPECT_TRUE(LogEnabled(LogLevel::kError));
  testing::internal::CaptureStderr();
  LogInfo("unseen");
  LogError("seen {}");
  const std::string text = testing::internal::GetCapturedStderr();
  SetLogLevel(LogLevel::kInfo);
  EXPECT_EQ(text.find("unseen"), std::string::npos);
  EXPECT_NE(text.find("seen {}\n"), std::string::npos);
}

}  // namespace
}  // namespace tributary
