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

TEST(StageProgressTest, ATerminalShowsThatAShortStageIsComplete) {
  ::testing::internal::CaptureStderr();
  {
    StageProgress progress("tributary partition", "reads the input",
                           absl::Hours(1), true);
    progress.Report("reads the input", 1, 2);
    progress.Report("reads the input", 2, 2);
    progress.Report("reads the input", 2, 2);
    progress.Note("a file is left out");
    progress.Report("writes the graph", 0, 2);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "\r\033[Ktributary partition: reads the input 100 % "
            "[========================] 0 s"
            "\r\033[Ktributary partition: note: a file is left out\n");
}

TEST(StageProgressTest, NoTerminalShowsNotesAlone) {
  ::testing::internal::CaptureStderr();
  {
    StageProgress progress("tributary partition", "reads the input",
                           absl::Hours(1), false);
    progress.Report("reads the input", 2, 2);
    progress.Note("a file is left out");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "tributary partition: note: a file is left out\n");
}

}  // namespace
}  // namespace tributary
