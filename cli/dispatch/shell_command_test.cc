#include "cli/dispatch/shell_command.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace tributary {
namespace {

TEST(ShellCommandTest, ReturnsExitCodeAndBothOutputs) {
  const auto done = RunShellCommand("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_FALSE(done->ok());
  EXPECT_EQ(WEXITSTATUS(done->wait_status), 3);
  EXPECT_EQ(done->output, "out\nerr\n");
}

TEST(ShellCommandTest, StdinIsEmptyAndSignalsAreTold) {
  const auto empty = RunShellCommand("cat");
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->ok());
  EXPECT_EQ(empty->output, "");
  const auto killed = RunShellCommand("kill -9 $$");
  ASSERT_TRUE(killed.ok());
  EXPECT_TRUE(WIFSIGNALED(killed->wait_status));
}

TEST(ShellCommandTest, KeepsTheEndOfLongOutput) {
  const auto done = RunShellCommand("seq 100000");
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->output.size(), 2048);
  EXPECT_EQ(done->output.substr(2048 - 7), "100000\n");
}

}  // namespace
}  // namespace tributary
