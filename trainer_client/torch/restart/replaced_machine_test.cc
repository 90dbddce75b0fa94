// Launchers of a job's machines that end and are started again, as Kubernetes
// replaces pods: the test runs itself again as `tributary-train`; see
// train_program.h.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/testing/held_port.h"
#include "trainer_client/torch/testing/train_program.h"

namespace tributary {
namespace {

using Words = std::vector<std::string>;

// A job of two machines, which are processes here, with one rank each.
class ReplacedMachineTest : public ::testing::Test {
 protected:
  void Start(const std::string& graph, Words more) {
    port_.emplace();
    words_ = {"--graph",
              graph,
              "--epochs",
              "3",
              "--batch-size",
              "12",
              "--hidden",
              "8",
              "--lr",
              "0.02",
              "--nnodes",
              "2",
              "--master-addr",
              "127.0.0.1",
              "--master-port",
              absl::StrCat(port_->number()),
              "--max-restarts",
              "1",
              "--replace-timeout",
              "60"};
    words_.insert(words_.end(), more.begin(), more.end());
    for (int node : {0, 1}) StartNode(node);
  }
  // Starts a machine with the same words as before.
  void StartNode(int node) {
    Words words = words_;
    words.insert(words.end(), {"--node-rank", absl::StrCat(node)});
    nodes_[node] = std::make_unique<TrainProgram>(words);
  }
  void Replace(const std::string& graph) { words_[1] = graph; }

  bool Trains() { return nodes_[0]->ReadUntil("epoch 1/3"); }

  TrainProgram& node(int i) { return *nodes_[i]; }
  std::unique_ptr<TrainProgram> Take(int i) { return std::move(nodes_[i]); }

 private:
  std::optional<HeldPort> port_;  // where the launcher of node 0 serves
  Words words_;
  std::unique_ptr<TrainProgram> nodes_[2];
};

// Returns an epoch with its loss, "epoch 3/3  loss 1.2345".
std::string LossOf(const Ended& ended, const std::string& epoch) {
  const size_t at = ended.text.find(epoch + "  loss ");
  if (at == std::string::npos) return "";
  return ended.text.substr(at, epoch.size() + 14);
}

TEST_F(ReplacedMachineTest, ALostMachineIsStartedAgain) {
  Start("hang-first", {});
  ASSERT_TRUE(Trains()) << node(0).text();
  node(1).Signal(SIGKILL);
  const auto lost = Take(1);
  StartNode(1);  // before anyone can have noticed
  for (int i : {0, 1}) {
    const Ended ended = node(i).Wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.text;
    EXPECT_TRUE(ended.Has("attempt 0 failed: ")) << ended.text;
    EXPECT_TRUE(ended.Has("restart 1 of at most 1")) << ended.text;
    EXPECT_EQ(ended.Has("epoch 3/3"), i == 0) << ended.text;
  }
  lost->Wait();  // its rank ends, too
}

// The others have noticed before it comes again.
TEST_F(ReplacedMachineTest, ALostMachineIsWaitedFor) {
  Start("hang-first", {});
  ASSERT_TRUE(Trains()) << node(0).text();
  node(1).Signal(SIGKILL);
  node(1).Wait();  // its rank ends with it
  ASSERT_TRUE(node(0).ReadUntil("1 of 2 are there")) << node(0).text();
  StartNode(1);
  for (int i : {0, 1}) {
    const Ended ended = node(i).Wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.text;
    EXPECT_EQ(ended.Has("epoch 3/3"), i == 0) << ended.text;
  }
}

TEST_F(ReplacedMachineTest, TermOfOneMachineIsNoFailure) {
  Start("hang-first", {});
  ASSERT_TRUE(Trains()) << node(0).text();
  node(1).Signal(SIGTERM);
  const Ended left = node(1).Wait();
  EXPECT_EQ(left.exit_code, 130) << left.text;
  StartNode(1);
  for (int i : {0, 1}) {
    const Ended ended = node(i).Wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.text;
    if (i == 1) continue;
    EXPECT_TRUE(ended.Has(
        "attempt 0 ended: the launcher of node 1 was asked to end (SIGTERM)"))
        << ended.text;
    EXPECT_TRUE(ended.Has("which counts as no restart")) << ended.text;
    EXPECT_FALSE(ended.Has("restart 1 of")) << ended.text;
  }
}

// No step is lost by an eviction, of either machine.
TEST_F(ReplacedMachineTest, TermOfOneMachineLeavesACheckpoint) {
  for (const int evicted : {1, 0}) {
    const std::string folder =
        absl::StrCat(std::getenv("TEST_TMPDIR"), "/evicted", evicted);
    Start("hang-inside-first",
          {"--checkpoint-every", "1000", "--checkpoint-dir", folder, "--resume",
           "auto"});
    ASSERT_TRUE(Trains()) << node(0).text();
    node(evicted).Signal(SIGTERM);
    EXPECT_EQ(node(evicted).Wait().exit_code, 130) << node(evicted).text();
    if (evicted == 0) {  // the others cannot go on without it
      EXPECT_EQ(node(1).Wait().exit_code, 75) << node(1).text();
      Replace("good");
      StartNode(1);
    }
    StartNode(evicted);
    for (int i : {0, 1}) {
      const Ended ended = node(i).Wait();
      EXPECT_EQ(ended.exit_code, 0) << ended.text;
      if (i == 1) continue;
      EXPECT_TRUE(ended.Has("resumed from " + folder)) << ended.text;
      EXPECT_FALSE(ended.Has("restart 1 of")) << ended.text;
    }
  }
}

TEST_F(ReplacedMachineTest, InterruptStillEndsTheJob) {
  Start("hang", {});
  ASSERT_TRUE(Trains()) << node(0).text();
  node(1).Signal(SIGINT);
  for (int i : {0, 1}) {
    const Ended ended = node(i).Wait();
    EXPECT_EQ(ended.exit_code, 130) << ended.text;
  }
}

TEST_F(ReplacedMachineTest, TermOfNodeZeroMakesTheOthersTryAgain) {
  Start("hang", {});
  ASSERT_TRUE(Trains()) << node(0).text();
  node(0).Signal(SIGTERM);
  const Ended zero = node(0).Wait();
  EXPECT_EQ(zero.exit_code, 130) << zero.text;
  const Ended one = node(1).Wait();
  EXPECT_EQ(one.exit_code, 75) << one.text;
  EXPECT_TRUE(one.Has("start all machines again")) << one.text;
}

// The pods of a Job that is started again have the same command line.
TEST_F(ReplacedMachineTest, ALostNodeZeroIsResumedByANewStartOfAll) {
  const std::string folder =
      std::string(std::getenv("TEST_TMPDIR")) + "/checkpoints";
  const Words checkpoints = {"--checkpoint-every", "2", "--checkpoint-dir"};
  Words words = checkpoints;
  words.insert(words.end(), {folder, "--resume", "auto"});
  Start("hang", words);
  ASSERT_TRUE(Trains()) << node(0).text();
  node(0).Signal(SIGKILL);
  node(0).Wait();
  const Ended other = node(1).Wait();
  EXPECT_EQ(other.exit_code, 1) << other.text;
  EXPECT_TRUE(other.Has("the launcher of node 0")) << other.text;

  Replace("good");
  for (int i : {0, 1}) StartNode(i);
  const Ended resumed = node(0).Wait();
  EXPECT_EQ(resumed.exit_code, 0) << resumed.text;
  EXPECT_EQ(node(1).Wait().exit_code, 0);
  EXPECT_TRUE(resumed.Has("resumed from " + folder)) << resumed.text;

  words = checkpoints;
  words.push_back(folder + ".undisturbed");
  Start("good", words);
  const Ended undisturbed = node(0).Wait();
  EXPECT_EQ(node(1).Wait().exit_code, 0);
  EXPECT_NE(LossOf(undisturbed, "epoch 3/3"), "") << undisturbed.text;
  EXPECT_EQ(LossOf(resumed, "epoch 3/3"), LossOf(undisturbed, "epoch 3/3"));
}

TEST_F(ReplacedMachineTest, TheLaterOfTwoWithOneRankHasThePlace) {
  Start("hang-first", {});
  ASSERT_TRUE(Trains()) << node(0).text();
  const auto first = Take(1);
  StartNode(1);
  const Ended replaced = first->Wait();
  EXPECT_EQ(replaced.exit_code, 1) << replaced.text;
  EXPECT_TRUE(replaced.Has("has taken this one's place")) << replaced.text;
  for (int i : {0, 1}) EXPECT_EQ(node(i).Wait().exit_code, 0);
}

TEST_F(ReplacedMachineTest, WhatNeverSucceedsIsNotStartedAgain) {
  Start("missing", {});
  for (int i : {0, 1}) {
    const Ended ended = node(i).Wait();
    EXPECT_EQ(ended.exit_code, 78) << ended.text;
    EXPECT_TRUE(ended.Has("another start cannot help")) << ended.text;
    EXPECT_FALSE(ended.Has("starting all ranks again")) << ended.text;
  }
}

// A pod's name may not resolve yet when another one starts.
TEST_F(ReplacedMachineTest, ANameThatDoesNotResolveIsWaitedFor) {
  TrainProgram program({"--graph", "good", "--nnodes", "2", "--node-rank", "1",
                        "--master-addr", "no.such.invalid"});
  ASSERT_TRUE(program.ReadUntil(
      "waiting for all machines at no.such.invalid:29500: 0 of 2 are there"))
      << program.text();
  program.Signal(SIGTERM);
  const Ended ended = program.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.text;
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
