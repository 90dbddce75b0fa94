#include "trainer_client/torch/ddp/launch_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tributary {
namespace {

absl::StatusOr<bool> Starts(
    const LaunchRequest& request,
    const std::map<std::string, std::string>& variables) {
  return StartsRanks(request, [&](const char* name) {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

TEST(LaunchChoiceTest, NprocStartsRanks) {
  EXPECT_TRUE(*Starts({.nproc = 2}, {}));
  EXPECT_FALSE(*Starts({}, {}));
}

TEST(LaunchChoiceTest, SoDoMachinesAndRestarts) {
  EXPECT_TRUE(*Starts({.nnodes = 2}, {}));
  EXPECT_TRUE(*Starts({.max_restarts = 1}, {}));
  const absl::Status status =
      Starts({.nnodes = 2, .max_restarts = 3}, {{"RANK", "0"}}).status();
  EXPECT_NE(status.message().find("--nnodes 2 though"), std::string::npos);
  EXPECT_NE(status.message().find("Leave out --nnodes,"), std::string::npos);
}

TEST(LaunchChoiceTest, OurOwnRanksStartNone) {
  EXPECT_FALSE(*Starts(
      {.nproc = 2},
      {{"TRIBUTARY_LAUNCHER_PID", "17"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}));
}

TEST(LaunchChoiceTest, ARankOfAnotherLauncherStartsNone) {
  EXPECT_FALSE(*Starts({}, {{"RANK", "1"}, {"WORLD_SIZE", "2"}}));
}

TEST(LaunchChoiceTest, NprocIsNotIgnoredInARankOfAnotherLauncher) {
  for (const char* name : {"RANK", "WORLD_SIZE"}) {
    const absl::Status status = Starts({.nproc = 2}, {{name, "1"}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    const std::string message(status.message());
    EXPECT_NE(message.find("--nproc 2"), std::string::npos) << message;
    EXPECT_NE(message.find(std::string("variable ") + name + " is \"1\""),
              std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace tributary
