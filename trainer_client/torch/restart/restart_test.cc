// Ranks that die, freeze or fail, on one machine and on two: the test runs
// itself again as `tributary-train`; see train_program.h.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/runtime/clock.h"
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
    const std::string port = absl::StrCat(FreePort());
    for (const char* node : {"0", "1"}) {
      Words words =
          Job(graph, {"--nnodes", "2", "--node-rank", node, "--master-addr",
                      "127.0.0.1", "--master-port", port});
      words.insert(words.end(), more.begin(), more.end());
      nodes_[*node - '0'] = std::make_unique<TrainProgram>(words);
    }
  }
  TrainProgram& operator[](int node) { return *nodes_[node]; }

 private:
  static int FreePort() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(fd, generic, size), 0);
    EXPECT_EQ(getsockname(fd, generic, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
  }

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
