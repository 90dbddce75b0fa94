#include "trainer_client/torch/ddp/rank_environment.h"

#include <gtest/gtest.h>

#include <map>

namespace tributary {
namespace {

absl::StatusOr<RankEnvironment> From(
    const std::map<std::string, std::string>& variables) {
  return RankEnvironment::FromVariables([&](const char* name) {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

TEST(RankEnvironmentTest, AloneWithoutVariables) {
  const auto alone = From({{"MASTER_PORT", "nonsense"}});
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone->rank, 0);
  EXPECT_EQ(alone->world, 1);
}

TEST(RankEnvironmentTest, AsTorchrunSetsThem) {
  const auto e = From({{"RANK", "5"},
                       {"WORLD_SIZE", "8"},
                       {"LOCAL_RANK", "1"},
                       {"MASTER_ADDR", "host-0"},
                       {"MASTER_PORT", "29500"}});
  ASSERT_TRUE(e.ok()) << e.status();
  EXPECT_EQ(e->rank, 5);
  EXPECT_EQ(e->world, 8);
  EXPECT_EQ(e->local_rank, 1);
  EXPECT_EQ(e->master_addr, "host-0");
  EXPECT_EQ(e->master_port, 29500);
  EXPECT_EQ(e->attempt, 0);
  EXPECT_FALSE(e->launcher_serves_store);
}

TEST(RankEnvironmentTest, Attempts) {
  std::map<std::string, std::string> variables = {
      {"RANK", "0"},
      {"WORLD_SIZE", "2"},
      {"MASTER_ADDR", "h"},
      {"MASTER_PORT", "1"},
      {"TORCHELASTIC_RESTART_COUNT", "3"},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  auto e = From(variables);
  ASSERT_TRUE(e.ok()) << e.status();
  EXPECT_EQ(e->attempt, 3);
  EXPECT_TRUE(e->launcher_serves_store);
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  EXPECT_FALSE(From(variables)->launcher_serves_store);
  // A launcher of ours that was itself started by torchrun.
  variables["TRIBUTARY_LAUNCHER_PID"] = "17";
  variables["TRIBUTARY_ATTEMPT"] = "1";
  e = From(variables);
  ASSERT_TRUE(e.ok()) << e.status();
  EXPECT_EQ(e->attempt, 1);
  EXPECT_TRUE(e->launcher_serves_store);
  variables["TRIBUTARY_ATTEMPT"] = "-1";
  EXPECT_NE(From(variables).status().message().find("TRIBUTARY_ATTEMPT"),
            std::string::npos);
}

TEST(RankEnvironmentTest, NamesTheWrongVariable) {
  auto message = [](const std::map<std::string, std::string>& variables) {
    return std::string(From(variables).status().message());
  };
  EXPECT_NE(message({{"RANK", "0"}}).find("WORLD_SIZE"), std::string::npos);
  EXPECT_NE(message({{"RANK", "2"}, {"WORLD_SIZE", "2"}}).find("RANK is \"2\""),
            std::string::npos);
  EXPECT_NE(message({{"RANK", "0"}, {"WORLD_SIZE", "2"}}).find("MASTER_ADDR"),
            std::string::npos);
  EXPECT_NE(message({{"RANK", "0"},
                     {"WORLD_SIZE", "2"},
                     {"MASTER_ADDR", "h"},
                     {"MASTER_PORT", "0"}})
                .find("MASTER_PORT"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
