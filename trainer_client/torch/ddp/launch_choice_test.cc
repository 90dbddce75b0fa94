#include "trainer_client/torch/ddp/launch_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tributary {
namespace {

absl::StatusOr<bool> Starts(
    int nproc, const std::map<std::string, std::string>& variables) {
  return StartsRanks(nproc, [&](const char* name) {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

TEST(LaunchChoiceTest, NprocStartsRanks) {
  EXPECT_TRUE(*Starts(2, {}));
  EXPECT_FALSE(*Starts(1, {}));
}

TEST(LaunchChoiceTest, OurOwnRanksStartNone) {
  EXPECT_FALSE(*Starts(
      2,
      {{"TRIBUTARY_LAUNCHER_PID", "17"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}));
}

TEST(LaunchChoiceTest, ARankOfAnotherLauncherStartsNone) {
  EXPECT_FALSE(*Starts(1, {{"RANK", "1"}, {"WORLD_SIZE", "2"}}));
}

TEST(LaunchChoiceTest, NprocIsNotIgnoredInARankOfAnotherLauncher) {
  for (const char* name : {"RANK", "WORLD_SIZE"}) {
    const absl::Status status = Starts(2, {{name, "1"}}).status();
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
