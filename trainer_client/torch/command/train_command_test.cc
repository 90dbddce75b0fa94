// The whole program over an in-memory source: the test runs itself again as
// `tributary-train`; see train_program.h.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>

#include "trainer_client/torch/testing/train_program.h"

namespace tributary {
namespace {

Ended RunIt(std::vector<std::string> words) {
  words.insert(words.end(),
               {"--batch-size", "12", "--hidden", "8", "--lr", "0.02"});
  return TrainProgram(std::move(words)).Wait();
}

TEST(TrainCommandTest, OneProcess) {
  const std::string log = std::string(std::getenv("TEST_TMPDIR")) + "/log";
  const Ended ended =
      RunIt({"--graph", "good", "--epochs", "20", "--log", log});
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  EXPECT_TRUE(ended.Has("epoch 20/20  loss ")) << ended.text;
  EXPECT_TRUE(ended.Has("result test_accuracy=0.9") ||
              ended.Has("result test_accuracy=1.0"))
      << ended.text;
  std::ifstream file(log);
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  EXPECT_EQ(lines, 22);  // start, 20 epochs, result
}

TEST(TrainCommandTest, TwoRanks) {
  const Ended ended =
      RunIt({"--graph", "good", "--nproc", "2", "--epochs", "3"});
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  EXPECT_TRUE(ended.Has("epoch 3/3")) << ended.text;
  EXPECT_EQ(ended.text.find("result"), ended.text.rfind("result"));
}

TEST(TrainCommandTest, ASplitWithoutLabelsIsNotedOnceAndAtTheStart) {
  const Ended ended =
      RunIt({"--graph", "unlabelled", "--nproc", "2", "--epochs", "3"});
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  const std::string note =
      "tributary-train: note: accuracy is not defined on the split valid: no "
      "input has a label";
  const size_t at = ended.text.find(note);
  ASSERT_NE(at, std::string::npos) << ended.text;
  EXPECT_LT(at, ended.text.find("epoch 1/3")) << ended.text;
  EXPECT_EQ(at, ended.text.rfind(note)) << ended.text;
  EXPECT_FALSE(ended.Has("  valid ")) << ended.text;
  EXPECT_FALSE(ended.Has("valid_accuracy")) << ended.text;
}

TEST(TrainCommandTest, AFailedRankEndsAll) {
  const Ended ended =
      RunIt({"--graph", "fail", "--nproc", "2", "--epochs", "3"});
  EXPECT_EQ(ended.exit_code, 1) << ended.text;
  EXPECT_TRUE(ended.Has("rank 0: DATA_LOSS: batch 0 is broken")) << ended.text;
  // What it has caused is not told beside it.
  EXPECT_FALSE(ended.Has("rank 1: ")) << ended.text;
}

TEST(TrainCommandTest, TermEndsRanksCleanly) {
  for (int signal : {SIGTERM, SIGINT}) {
    TrainProgram program({"--graph", "hang", "--nproc", "2", "--epochs", "3",
                          "--batch-size", "12"});
    ASSERT_TRUE(program.ReadUntil("epoch 1/3"));
    program.Signal(signal);
    const Ended ended = program.Wait();
    EXPECT_EQ(ended.exit_code, 130) << ended.text;
    EXPECT_TRUE(ended.Has("tributary-train: interrupted")) << ended.text;
  }
}

TEST(TrainCommandTest, NprocWithinTorchrunIsAUsageError) {
  setenv("RANK", "0", 1);
  const Ended ended =
      RunIt({"--graph", "good", "--nproc", "2", "--epochs", "1"});
  unsetenv("RANK");
  EXPECT_EQ(ended.exit_code, 2) << ended.text;
  EXPECT_TRUE(ended.Has("tributary-train: --nproc 2 though")) << ended.text;
}

TEST(TrainCommandTest, SaysWhatIsWrong) {
  const Ended missing = RunIt({"--graph", "missing"});
  EXPECT_EQ(missing.exit_code, 78);
  EXPECT_EQ(missing.text,
            "tributary-train: NOT_FOUND: missing: no such graph\n");
  // Ranks know which of the fleet's clients they are.
  const Ended who = RunIt({"--graph", "who", "--nproc", "2"});
  EXPECT_TRUE(who.Has("client 0 of 2") || who.Has("client 1 of 2")) << who.text;
  const Ended split = RunIt({"--graph", "good", "--input", "dev"});
  EXPECT_EQ(split.exit_code, 78);
  EXPECT_TRUE(split.Has("no split \"dev\"")) << split.text;
  EXPECT_EQ(RunIt({"--graph", "good", "--epochs", "x"}).exit_code, 2);
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
