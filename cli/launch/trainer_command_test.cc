#include "cli/launch/trainer_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using Kind = TrainerCommand::Kind;
using ::testing::HasSubstr;

TrainerCommand Read(absl::string_view text) {
  const auto command = ReadTrainerCommand(text);
  EXPECT_TRUE(command.ok()) << command.status();
  return command.value_or(TrainerCommand());
}

TEST(TrainerCommandTest, AScriptIsARank) {
  const TrainerCommand command =
      Read(" python3 -u code/train.py --fanout='2,2' ");
  EXPECT_EQ(command.kind, Kind::kRank);
  EXPECT_EQ(command.text, "python3 -u code/train.py --fanout='2,2'");
  EXPECT_EQ(command.program, "python3");
  EXPECT_TRUE(command.is_simple);
}

TEST(TrainerCommandTest, VariablesPrecedeTheProgram) {
  EXPECT_EQ(Read("A=1 B_2='x y' ./train --lr=1").program, "./train");
  EXPECT_EQ(Read("$HOME/train").program, "");
  EXPECT_FALSE(ReadTrainerCommand("A=1").ok());
  EXPECT_FALSE(ReadTrainerCommand("  ").ok());
}

TEST(TrainerCommandTest, TorchrunStartsTheRanksOfAHost) {
  EXPECT_EQ(Read("/opt/venv/bin/torchrun train.py").kind, Kind::kTorchrun);
  EXPECT_EQ(Read("python3 -u -m torch.distributed.run t.py").kind,
            Kind::kTorchrun);
  EXPECT_EQ(Read("python3 -m train").kind, Kind::kRank);
  EXPECT_EQ(Read("python3 t.py -m torch.distributed.run").kind, Kind::kRank);
}

TEST(TrainerCommandTest, NprocStartsTheRanksOfAHost) {
  TrainerCommand command = Read("tributary-train --nproc 2 --epochs 3");
  EXPECT_EQ(command.kind, Kind::kNproc);
  EXPECT_EQ(command.nproc, 2);
  EXPECT_FALSE(command.has_nnodes);
  command = Read("tributary-train --nproc=8 --nnodes=2");
  EXPECT_EQ(command.nproc, 8);
  EXPECT_TRUE(command.has_nnodes);
  for (const char* text : {"t --nproc", "t --nproc 0", "t --nproc 1025"}) {
    EXPECT_THAT(std::string(ReadTrainerCommand(text).status().message()),
                HasSubstr("1 to 1024"))
        << text;
  }
}

TEST(TrainerCommandTest, OnlyASimpleCommandTakesFlags) {
  EXPECT_TRUE(Read("train 'a;b' \"c|d\" a#b").is_simple);
  for (const char* text : {"a; b", "a | b", "a && b", "a > f", "a # c"}) {
    EXPECT_FALSE(Read(text).is_simple) << text;
  }
}

}  // namespace
}  // namespace tributary
