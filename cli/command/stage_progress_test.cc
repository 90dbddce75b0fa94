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
                           absl::Hours(1));
    progress.Begin("writes the graph");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  std::string text;
  {
    StageProgress progress("tributary partition", "reads the input",
                           absl::Milliseconds(1));
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

}  // namespace
}  // namespace tributary
