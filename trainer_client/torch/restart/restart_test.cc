// Ranks that die, freeze or fail, on one machine and on two: the test runs
// itself again as `tributary-train`; see train_program.h.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/runtime/clock.h"
#include "trainer_client/torch/testing/held_port.h"
#include "trainer_client/torch/testing/train_program.h"

namespace tributary {
namespace {

using Words = std::vector<std::string>;

Words Job(const std::string& graph, Words more) {
  Words words = {"--graph", graph,      "--epochs", "3",    "--batch-size",
                 "12",      "--hidden", "8",        "--lr", "0.02"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A job's machines, which are processes here.
class Nodes {
 public:
  Nodes(const std::string& graph, const Words& more) {
    for (const char* node : {"0", "1"}) {
      Words words =
          Job(graph, {"--nnodes", "2", "--node-rank", node, "--master-addr",
                      "127.0.0.1", "--master-port", port()});
      words.insert(words.end(), more.begin(), more.end());
      nodes_[*node - '0'] = std::make_unique<TrainProgram>(words);
    }
  }
  TrainProgram& operator[](int node) { return *nodes_[node]; }
  // Where the launcher of node 0 serves the rendezvous.
  std::string port() const { return absl::StrCat(port_.number()); }

 private:
  const HeldPort port_;
  std::unique_ptr<TrainProgram> nodes_[2];
};

void SignalRank(const TrainProgram& program, int rank, int signal) {
  const std::optional<pid_t> pid = program.PidOfRank(rank);
  ASSERT_TRUE(pid.has_value()) << program.text();
  ASSERT_EQ(kill(*pid, signal), 0);
}

// Returns "epoch 1/3  loss 1.2345" and the like, the words that do not depend
// on time.
Words Losses(const Ended& ended) {
  Words losses;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(ended.text, '\n'))) {
    const size_t loss = line.find("loss ");
    if (line.rfind("epoch ", 0) != 0 || loss == std::string::npos) continue;
    losses.push_back(line.substr(0, line.find(' ', loss + 5)));
  }
  return losses;
}

TEST(RestartTest, AKilledRankEndsTheJob) {
  for (int rank : {0, 1}) {
    TrainProgram program(Job("hang", {"--nproc", "2"}));
    ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
    SignalRank(program, rank, SIGKILL);
    const Ended ended = program.Wait();
    EXPECT_EQ(ended.exit_code, 137) << ended.text;
    EXPECT_TRUE(ended.Has(absl::StrCat("attempt 0 failed: rank ", rank)))
        << ended.text;
    EXPECT_TRUE(ended.Has("was ended by signal 9 (SIGKILL)")) << ended.text;
  }
}

TEST(RestartTest, AKilledRankIsStartedAgain) {
  for (int rank : {0, 1}) {
    TrainProgram program(
        Job("hang-first", {"--nproc", "2", "--max-restarts", "1"}));
    ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
    SignalRank(program, rank, SIGKILL);
    const Ended ended = program.Wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.text;
    EXPECT_TRUE(ended.Has("restart 1 of at most 1")) << ended.text;
    EXPECT_TRUE(ended.Has("epoch 3/3")) << ended.text;
  }
}

TEST(RestartTest, AFrozenRankIsFoundWithin15Seconds) {
  TrainProgram program(
      Job("hang-first", {"--nproc", "2", "--max-restarts", "1"}));
  ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
  const absl::Time start = SteadyClock().Now();
  SignalRank(program, 1, SIGSTOP);
  ASSERT_TRUE(program.ReadUntil("restart 1 of at most 1")) << program.text();
  EXPECT_LT(SteadyClock().Now() - start, absl::Seconds(30));
  const Ended ended = program.Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  EXPECT_TRUE(ended.Has("attempt 0 failed: rank 1")) << ended.text;
  EXPECT_TRUE(ended.Has("is frozen: no heartbeat for 12 s")) << ended.text;
}

TEST(RestartTest, AFrozenRankEndsTheJob) {
  TrainProgram program(Job("hang", {"--nproc", "2"}));
  ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
  const absl::Time start = SteadyClock().Now();
  SignalRank(program, 0, SIGSTOP);
  const Ended ended = program.Wait();
  EXPECT_LT(SteadyClock().Now() - start, absl::Seconds(30));
  EXPECT_EQ(ended.exit_code, 1) << ended.text;
  EXPECT_TRUE(ended.Has("attempt 0 failed: rank 0")) << ended.text;
}

TEST(RestartTest, AnAbortIsStartedAgain) {
  const Ended ended =
      TrainProgram(Job("abort-first", {"--nproc", "2", "--max-restarts", "1"}))
          .Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  EXPECT_TRUE(ended.Has("was ended by signal 6 (SIGABRT)")) << ended.text;
  EXPECT_TRUE(ended.Has("epoch 3/3")) << ended.text;
}

TEST(RestartTest, OneRankIsStartedAgainToo) {
  const std::string log = std::string(std::getenv("TEST_TMPDIR")) + "/log";
  const Ended ended =
      TrainProgram(Job("fail-first", {"--max-restarts", "2", "--log", log}))
          .Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  EXPECT_TRUE(ended.Has("restart 1 of at most 2")) << ended.text;
  EXPECT_FALSE(ended.Has("restart 2 of at most 2")) << ended.text;
  // The first attempt's lines are kept: start, epoch; start, 3 epochs, result.
  std::ifstream file(log);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  EXPECT_EQ(lines, 7);
}

TEST(RestartTest, RestartsAreCounted) {
  const Ended ended =
      TrainProgram(Job("fail", {"--nproc", "2", "--max-restarts", "2"})).Wait();
  EXPECT_EQ(ended.exit_code, 1) << ended.text;
  for (const char* attempt : {"0", "1", "2"}) {
    EXPECT_TRUE(ended.Has(absl::StrCat("attempt ", attempt, " failed: rank ")))
        << ended.text;
  }
  EXPECT_FALSE(ended.Has("attempt 3")) << ended.text;
}

int CountOf(const std::string& part, const std::string& text) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// The launcher sees the end of rank 1, which has lost rank 0, before that of
// rank 0.
TEST(RestartTest, ACauseIsNotHiddenByWhatItCauses) {
  const Ended ended = TrainProgram(Job("fail-slowly", {"--nproc", "2"})).Wait();
  EXPECT_EQ(ended.exit_code, 1) << ended.text;
  EXPECT_TRUE(ended.Has("attempt 0 failed: rank 0")) << ended.text;
  EXPECT_FALSE(ended.Has("failed: rank 1")) << ended.text;
}

TEST(RestartTest, ALossThatIsNotFiniteEndsAllRanksAlike) {
  const Ended ended =
      TrainProgram(Job("nan", {"--nproc", "2", "--max-restarts", "3"})).Wait();
  EXPECT_EQ(ended.exit_code, 78) << ended.text;
  EXPECT_TRUE(ended.Has("OUT_OF_RANGE: the loss is ")) << ended.text;
  EXPECT_TRUE(ended.Has("another start cannot help")) << ended.text;
  EXPECT_FALSE(ended.Has("INTERNAL")) << ended.text;
}

// Without neighbours only the batch with the node itself has such a loss: the
// first one, of rank 0. What rank 1 makes of that decides and tells nothing.
TEST(RestartTest, ALossThatIsNotFiniteOnOneRankIsTheCause) {
  const Ended ended =
      TrainProgram(Job("nan", {"--nproc", "2", "--max-restarts", "3",
                               "--num-neighbors", "0,0", "--shuffle", "none"}))
          .Wait();
  EXPECT_EQ(ended.exit_code, 78) << ended.text;
  EXPECT_EQ(
      CountOf("not finite", ended.text) + CountOf("OUT_OF_RANGE", ended.text),
      1)
      << ended.text;
  EXPECT_TRUE(ended.Has("rank 0: OUT_OF_RANGE: the loss is ")) << ended.text;
  EXPECT_FALSE(ended.Has("rank 1: ")) << ended.text;
  EXPECT_TRUE(ended.Has("another start cannot help")) << ended.text;
  EXPECT_FALSE(ended.Has("restart 1 of")) << ended.text;
}

TEST(RestartTest, AnErrorOfAllRanksIsToldOnce) {
  const Ended ended = TrainProgram(Job("missing", {"--nproc", "4"})).Wait();
  EXPECT_EQ(ended.exit_code, 78) << ended.text;
  EXPECT_EQ(CountOf("missing: no such graph", ended.text), 1) << ended.text;
}

// --- runs that are asked to end ----------------------------------------------

std::string TestFolder(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

// Keeps checkpoints, none of which is due by itself.
Words Kept(const std::string& folder, Words more = {}) {
  Words words = {"--checkpoint-every", "1000", "--checkpoint-dir", folder,
                 "--resume",           "auto"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Of two ranks: 3 rounds an epoch; rank 0's second batch of epoch 2 never
// comes.
TEST(StopTest, ASignalLeavesACheckpointOfTheLastStep) {
  const Ended whole = TrainProgram(Job("good", {"--nproc", "2"})).Wait();
  ASSERT_EQ(Losses(whole).size(), 3u) << whole.text;
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string folder = TestFolder(absl::StrCat("signal", signal));
    TrainProgram program(Job("hang-inside", Kept(folder, {"--nproc", "2"})));
    ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
    program.Signal(signal);
    const Ended stopped = program.Wait();
    EXPECT_EQ(stopped.exit_code, 130) << stopped.text;
    EXPECT_EQ(
        CountOf("interrupted; the run goes on from its checkpoint of step",
                stopped.text),
        1)
        << stopped.text;
    EXPECT_FALSE(stopped.Has("failed")) << stopped.text;
    const Ended resumed =
        TrainProgram(Job("good", Kept(folder, {"--nproc", "2"}))).Wait();
    EXPECT_EQ(resumed.exit_code, 0) << resumed.text;
    EXPECT_TRUE(resumed.Has("resumed from " + folder)) << resumed.text;
    EXPECT_EQ(Losses(resumed).back(), Losses(whole).back()) << resumed.text;
  }
}

TEST(StopTest, WithoutALauncherToo) {
  const std::string folder = TestFolder("alone");
  TrainProgram program(Job("hang-inside", Kept(folder)));
  ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
  program.Signal(SIGTERM);
  const Ended stopped = program.Wait();
  EXPECT_EQ(stopped.exit_code, 130) << stopped.text;
  EXPECT_TRUE(stopped.Has("checkpoint of step")) << stopped.text;
}

// A frozen rank cannot agree to anything.
TEST(StopTest, TheSecondSignalEndsAllAtOnce) {
  TrainProgram program(Job(
      "hang",
      Kept(TestFolder("second"), {"--nproc", "2", "--grace-period", "600"})));
  ASSERT_TRUE(program.ReadUntil("epoch 1/3")) << program.text();
  SignalRank(program, 1, SIGSTOP);
  program.Signal(SIGTERM);
  program.Signal(SIGINT);
  const Ended ended = program.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.text;
  EXPECT_FALSE(ended.Has("frozen")) << ended.text;
  EXPECT_FALSE(ended.Has("checkpoint of step")) << ended.text;
}

// As torchrun starts ranks, and as Slurm signals them: all at once, and again
// by their launcher.
TEST(StopTest, RanksOfAnotherLauncherEndTogether) {
  const std::string folder = TestFolder("torchrun");
  setenv("WORLD_SIZE", "2", 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  const HeldPort port;
  setenv("MASTER_PORT", absl::StrCat(port.number()).c_str(), 1);
  setenv("RANK", "0", 1);
  TrainProgram first(Job("hang-inside", Kept(folder)));
  setenv("RANK", "1", 1);
  TrainProgram second(Job("hang-inside", Kept(folder)));
  for (const char* name :
       {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    unsetenv(name);
  }
  ASSERT_TRUE(first.ReadUntil("epoch 1/3")) << first.text();
  second.Signal(SIGTERM);
  second.Signal(SIGINT);
  first.Signal(SIGINT);
  const Ended ended = second.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.text;
  const Ended other = first.Wait();
  EXPECT_EQ(other.exit_code, 130) << other.text;
  EXPECT_TRUE(other.Has("checkpoint of step")) << other.text;
}

TEST(TwoNodesTest, TrainAsTwoRanksOfOne) {
  Nodes nodes("good", {});
  const Ended first = nodes[0].Wait();
  const Ended second = nodes[1].Wait();
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_EQ(second.exit_code, 0) << second.text;
  const Ended one = TrainProgram(Job("good", {"--nproc", "2"})).Wait();
  ASSERT_EQ(Losses(one).size(), 3u) << one.text;
  EXPECT_EQ(Losses(first), Losses(one));
}

TEST(TwoNodesTest, AKilledRankStartsBothAgain) {
  Nodes nodes("hang-first", {"--max-restarts", "1"});
  ASSERT_TRUE(nodes[0].ReadUntil("epoch 1/3")) << nodes[0].text();
  SignalRank(nodes[1], 1, SIGKILL);
  for (int node : {0, 1}) {
    const Ended ended = nodes[node].Wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.text;
    EXPECT_TRUE(ended.Has("on node 1) was ended by signal 9")) << ended.text;
    EXPECT_TRUE(ended.Has("restart 1 of at most 1")) << ended.text;
    EXPECT_EQ(ended.Has("epoch 3/3"), node == 0) << ended.text;
  }
}

TEST(TwoNodesTest, TermOfOneEndsBoth) {
  Nodes nodes("hang", {"--max-restarts", "3"});
  ASSERT_TRUE(nodes[0].ReadUntil("epoch 1/3")) << nodes[0].text();
  nodes[1].Signal(SIGTERM);
  for (int node : {0, 1}) {
    const Ended ended = nodes[node].Wait();
    EXPECT_EQ(ended.exit_code, 130) << ended.text;
    EXPECT_FALSE(ended.Has("restart 1")) << ended.text;
  }
}

TEST(TwoNodesTest, TermOfOneLeavesACheckpointOfBoth) {
  const std::string folder = TestFolder("two");
  {
    Nodes nodes("hang-inside", Kept(folder));
    ASSERT_TRUE(nodes[0].ReadUntil("epoch 1/3")) << nodes[0].text();
    nodes[1].Signal(SIGTERM);
    for (int node : {0, 1}) {
      EXPECT_EQ(nodes[node].Wait().exit_code, 130) << nodes[node].text();
    }
  }
  Nodes nodes("good", Kept(folder));
  const Ended resumed = nodes[0].Wait();
  EXPECT_EQ(nodes[1].Wait().exit_code, 0);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.text;
  EXPECT_TRUE(resumed.Has("resumed from " + folder)) << resumed.text;
  const Ended whole = TrainProgram(Job("good", {"--nproc", "2"})).Wait();
  EXPECT_EQ(Losses(resumed).back(), Losses(whole).back());
}

TEST(TwoNodesTest, AMachineOfAnotherRunIsRefusedByName) {
  for (const bool named : {false, true}) {
    const Words name_a = named ? Words{"--run-id", "run-a"} : Words{};
    Words more = {"--max-restarts", "3", "--replace-timeout", "60"};
    more.insert(more.end(), name_a.begin(), name_a.end());
    Nodes nodes("hang", more);
    ASSERT_TRUE(nodes[0].ReadUntil("epoch 1/3")) << nodes[0].text();
    // The same command for another run, or other options.
    Words words =
        Job("hang", {"--nnodes", "2", "--node-rank", "1", "--master-addr",
                     "127.0.0.1", "--master-port", nodes.port(),
                     "--max-restarts", "3", "--replace-timeout", "60"});
    if (named) {
      words.insert(words.end(), {"--run-id", "run-b"});
    } else {
      words.insert(words.end(), {"--weight-decay", "0.1"});
    }
    const Ended other = TrainProgram(words).Wait();
    EXPECT_EQ(other.exit_code, 78) << other.text;
    EXPECT_TRUE(
        other.Has("the run at 127.0.0.1:" + nodes.port() + " is " +
                  (named ? "run-a, and this one is run-b" : "command-")))
        << other.text;
    // The run has not noticed.
    nodes[0].Signal(SIGINT);
    for (int node : {0, 1}) {
      const Ended ended = nodes[node].Wait();
      EXPECT_EQ(ended.exit_code, 130) << ended.text;
      EXPECT_FALSE(ended.Has("another launcher")) << ended.text;
      EXPECT_FALSE(ended.Has("attempt 0")) << ended.text;
    }
  }
}

// Also of ranks without a launcher that serves the rendezvous.
TEST(TwoNodesTest, ARankOfAnotherRunIsRefusedByName) {
  Nodes nodes("hang", {});
  ASSERT_TRUE(nodes[0].ReadUntil("epoch 1/3")) << nodes[0].text();
  setenv("RANK", "1", 1);
  setenv("WORLD_SIZE", "2", 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", nodes.port().c_str(), 1);
  TrainProgram program(Job("hang", {"--run-id", "run-b"}));
  for (const char* name :
       {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    unsetenv(name);
  }
  const Ended ended = program.Wait();
  EXPECT_EQ(ended.exit_code, 78) << ended.text;
  EXPECT_TRUE(ended.Has("and this one is run-b")) << ended.text;
  nodes[0].Signal(SIGINT);
  for (int node : {0, 1}) EXPECT_EQ(nodes[node].Wait().exit_code, 130);
}

TEST(TwoNodesTest, ALostLauncherEndsTheOther) {
  for (int lost : {0, 1}) {
    Nodes nodes("hang", {"--max-restarts", "3"});
    ASSERT_TRUE(nodes[0].ReadUntil("epoch 1/3")) << nodes[0].text();
    nodes[lost].Signal(SIGKILL);
    const Ended ended = nodes[1 - lost].Wait();
    EXPECT_EQ(ended.exit_code, 1) << ended.text;
    EXPECT_TRUE(ended.Has(absl::StrCat("the launcher of node ", lost)))
        << ended.text;
    nodes[lost].Wait();  // its ranks end, too: they have its stdout
  }
}

TEST(TwoNodesTest, TermWhileTheOtherIsWaitedFor) {
  TrainProgram program(
      Job("good", {"--nnodes", "2", "--node-rank", "1", "--master-addr",
                   "127.0.0.1", "--master-port", "1"}));
  ASSERT_TRUE(program.ReadUntil(
      "waiting for all machines at 127.0.0.1:1: 0 of 2 are there"))
      << program.text();
  program.Signal(SIGTERM);
  const Ended ended = program.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.text;
}

TEST(TwoNodesTest, ContradictionsAreUsageErrors) {
  const Ended ended =
      TrainProgram(Job("good", {"--nnodes", "2", "--node-rank", "0"})).Wait();
  EXPECT_EQ(ended.exit_code, 2) << ended.text;
  EXPECT_TRUE(ended.Has("--nnodes 2 without --master-addr")) << ended.text;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--graph") {
    return tributary::RunTrainProgram(argc, argv);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
