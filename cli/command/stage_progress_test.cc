#include "cli/command/stage_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(StageProgressTest, ALongStageIsNamedAndAShortOneIsNot) {
  ::testing::internal::CaptureStderr();
  {
    StageProgress progress("tributary partition", "reads the input",
                           absl::Hours(1), false);
    progress.Begin("writes the graph");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  std::string text;
  {
    StageProgress progress("tributary partition", "reads the input",
                           absl::Milliseconds(1), false);
    const absl::Time end = absl::Now() + absl::Seconds(30);
    while (text.empty() && absl::Now() < end) {
      std::fflush(stderr);
      text = ::testing::internal::GetCapturedStderr();
      ::testing::internal::CaptureStderr();
    }
  }
  ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("tributary partition: reads the input, "));
}

TEST(StageProgressTest, ATerminalShowsHowMuchIsDone) {
  ::testing::internal::CaptureStderr();
  std::string text;
  {
    StageProgress progress("tributary partition", "reads the input",
                           absl::Milliseconds(1), true);
    progress.Report("writes the graph", 1, 4);
    const absl::Time end = absl::Now() + absl::Seconds(30);
    while (text.find("25 %") == std::string::npos && absl::Now() < end) {
      std::fflush(stderr);
      text += ::testing::internal::GetCapturedStderr();
      ::testing::internal::CaptureStderr();
    }
  }
  ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("\r\033[Ktributary partition: writes the graph "
                              "25 % [======                  ] "));
}

}  // namespace
}  // namespace tributary
