#include "common/observe/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "common/observe/log_sink.h"
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

std::string Logged(std::string_view text) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kError, text);
  return testing::internal::GetCapturedStderr();
}

// A client's text can neither forge a line nor move the terminal's cursor.
TEST(LogTest, ALineIsOneLineWhateverItQuotes) {
  const std::string line = Logged("job 'a\nE forged\x1b[2J\xff'");
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  EXPECT_NE(line.find("job 'a\\nE forged\\x1b[2J\\xff'\n"), std::string::npos)
      << line;
}

TEST(LogTest, ALineIsBounded) {
  EXPECT_LT(Logged(std::string(1 << 20, 'a')).size(), 2200);
  EXPECT_LT(Logged(std::string(1 << 20, '\x1b')).size(), 2200);
}

TEST(LogTest, ASinkTakesTheLinesInsteadOfStderr) {
  std::string taken;
  SetLogSink([&taken](LogLevel level, std::string_view text) {
    taken.append(level == LogLevel::kError ? "E " : "? ").append(text);
  });
  EXPECT_EQ(Logged("to the\nsink"), "");
  SetLogSink(nullptr);
  EXPECT_NE(Logged("to stderr").find("to stderr\n"), std::string::npos);
  EXPECT_EQ(taken, "E to the\\nsink");
}

// Programs ignore SIGPIPE (RunProgram), so a reader that has gone is an error.
TEST(LogTest, AStderrThatTakesNothingLosesLinesAndNothingElse) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const int keep = dup(STDERR_FILENO);
  for (const int broken : {ends[1], full}) {
    dup2(broken, STDERR_FILENO);
    for (int i = 0; i < 100; ++i) LogError(std::string(2000, 'a'));
    dup2(keep, STDERR_FILENO);
    close(broken);
  }
  close(keep);
  EXPECT_NE(Logged("it goes on").find("it goes on\n"), std::string::npos);
}

TEST(LineRateTest, EachKindOfLineAndAllTogetherHaveARate) {
  LineRate rate({.per_second = 1, .burst = 3}, {.per_second = 2, .burst = 5});
  const auto admitted = [&](std::string_view what, absl::Time now) {
    int lines = 0;
    for (int i = 0; i < 100; ++i) lines += rate.Admit(what, now).has_value();
    return lines;
  };
  EXPECT_EQ(admitted("a", kStart), 3);
  EXPECT_EQ(admitted("b", kStart), 2);  // what the others left of five
  EXPECT_EQ(admitted("a", kStart + absl::Seconds(2)), 2);
  // The next line that comes through says how many did not.
  EXPECT_EQ(rate.Admit("c", kStart + absl::Seconds(3)), 98u);
  EXPECT_EQ(rate.Admit("c", kStart + absl::Seconds(3)), 0u);
}

TEST(LineRateTest, KindsAreForgottenThatHaveTheirBurstAgain) {
  LineRate rate({.per_second = 1, .burst = 1},
                {.per_second = 1e6, .burst = 1e6});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(rate.Admit(std::to_string(i), kStart + i * absl::Seconds(1)), 0u);
  }
  EXPECT_LE(rate.num_kinds(), 256);
}

// A client that connects again and again, each time from another port, or with
// another name, writes no more than the rate of its kind of line.
TEST(LogTest, ManyKeysOfOneKindAreStillFewLines) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10000; ++i) {
    LogRepeated(LogLevel::kError, "test stream", std::to_string(i), "closed");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 10);
  EXPECT_LE(lines, 40);
}

}  // namespace
}  // namespace tributary
