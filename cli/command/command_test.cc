#include "cli/command/command.h"

#include <gtest/gtest.h>

#include "cli/command/exit_code.h"

namespace tributary {
namespace {

TEST(CommandTest, ExitCodes) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("no graph")), 1);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("graph.json: no")), 1);
  EXPECT_EQ(ExitCodeOf(UsageError("--epoch x: a whole number")), 2);
}

TEST(CommandTest, AnErrorMayHaveAnExitCodeOfItsOwn) {
  EXPECT_EQ(ExitCodeOf(WithExitCode(absl::AbortedError("a trainer"), 137)),
            137);
}

TEST(CommandTest, FailureNamesItsCode) {
  EXPECT_EQ(ErrorText("tributary sample", absl::NotFoundError("g: no folder")),
            "tributary sample: NOT_FOUND: g: no folder\n");
  EXPECT_EQ(ErrorText("tributary sample", UsageError("--epoch x")),
            "tributary sample: --epoch x\n");
}

TEST(CommandTest, AtMostThreeLines) {
  EXPECT_EQ(ErrorText("t", UsageError("a\nb\nc\nd\ne")), "t: a\nb\nc\n");
}

TEST(CommandTest, ControlCharactersAreEscaped) {
  EXPECT_EQ(ErrorText("t", UsageError("file \x1b[2J\r of \xc3\xa9")),
            "t: file \\x1b[2J\\r of \xc3\xa9\n");
}

}  // namespace
}  // namespace tributary
