// Real `tributary serve` processes over real sockets.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/grpc/grpc_transport.h"
#include "common/fleet/address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr std::chrono::seconds kTimeout{30};

// A `tributary` of its own; killed, if need be, by the destructor.
class Process {
 public:
  explicit Process(std::vector<std::string> args) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) std::abort();
    args.insert(args.begin(), absl::StrCat(std::getenv("TEST_SRCDIR"),
                                           "/tributary/cli/tributary"));
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out[1]);
    stdout_ = out[0];
  }
  ~Process() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(stdout_);
  }

  // The next line of stdout; what there is of it at its end or a time-out.
  std::string ReadLine() {
    std::string line;
    pollfd ready{stdout_, POLLIN, 0};
    char c = 0;
    while (poll(&ready, 1, kTimeout / std::chrono::milliseconds(1)) > 0 &&
           read(stdout_, &c, 1) == 1 && c != '\n') {
      line += c;
    }
    return line;
  }
  void Signal(int signal) { kill(pid_, signal); }
  // The exit code; the negative signal when one ended it.
  int Wait() {
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
  int stdout_ = -1;
};

// The graph of the vectors in docs/sampling.md.
GraphSpec VectorGraph() {
  GraphSpec graph;
  graph.num_nodes = 7;
  graph.edges = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 0}, {0, 1},
                 {3, 1}, {5, 2}, {5, 5}, {4, 3}, {0, 3}, {1, 3}};
  graph.num_partitions = 2;
  return graph;
}

std::string FieldOf(const std::string& line, const std::string& name) {
  const size_t at = line.find(name + "=");
  if (at == std::string::npos) return "";
  const size_t from = at + name.size() + 1;
  return line.substr(from, line.find(' ', from) - from);
}

TEST(ServeTest, TwoServersMakeABatchTogetherAndDrainOnSignals) {
  TemporaryFolder folder;
  const std::string graph = folder.File("graph");
  WriteGraphTo(VectorGraph(), graph);
  Process one({"serve", "--graph", graph, "--partitions", "1", "--listen",
               "127.0.0.1:0", "--threads", "1", "--log-level", "error"});
  const std::string one_line = one.ReadLine();
  EXPECT_THAT(one_line,
              MatchesRegex("ready listen=127.0.0.1:[0-9]+ partitions=1"));
  Process zero({"serve", "--graph", graph, "--partitions", "0", "--listen",
                "127.0.0.1:0", "--http", "127.0.0.1:0", "--peers",
                FieldOf(one_line, "listen"), "--threads", "1", "--log-level",
                "error"});
  const std::string zero_line = zero.ReadLine();
  EXPECT_THAT(zero_line, MatchesRegex("ready listen=127.0.0.1:[0-9]+ "
                                      "http=127.0.0.1:[0-9]+ partitions=0"));

  auto transport = std::make_unique<GrpcTransport>();
  auto trainer = ScriptedTrainer::Connect(
      transport.get(), ParseAddress(FieldOf(zero_line, "listen")).value());
  SpecOptions options;
  options.num_neighbors = {2, 2};
  options.batch_size = 3;
  options.random_seed = 7;
  const TrainerSession session =
      MakeSession(Graph::Open(graph).value()->schema(), options, {0, 3, 1, 6});
  trainer->Open(session);
  trainer->Ask(session, 0);
  trainer->Ask(session, 1);
  ASSERT_TRUE(trainer->AwaitAnswers(2, kTimeout)) << trainer->why_closed();
  EXPECT_EQ(
      trainer->answer(0),
      "ready 40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68");
  EXPECT_EQ(
      trainer->answer(1),
      "ready 1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f39928803");

  Process status({"status", "--servers",
                  absl::StrCat(FieldOf(zero_line, "listen"), ",",
                               FieldOf(one_line, "listen"))});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(status.ReadLine(), AllOf(StartsWith("127.0.0.1:"),
                                         HasSubstr(" ready graph=test@")));
  }
  EXPECT_EQ(status.Wait(), 0);

  zero.Signal(SIGTERM);
  EXPECT_EQ(zero.Wait(), 0);
  EXPECT_EQ(zero.ReadLine(), "");  // one line was all
  one.Signal(SIGINT);
  EXPECT_EQ(one.Wait(), 0);
}

TEST(ServeTest, WhatCannotBeServedFailsWithoutALineOnStdout) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--graph", "/nowhere", "--listen",
                                 "127.0.0.1:0"},
        {"--graph", "/nowhere", "--listen", "nonsense"},
        {"--graph", "/nowhere", "--listen", "127.0.0.1:0", "--threads", "x"}}) {
    std::vector<std::string> command = {"serve"};
    command.insert(command.end(), args.begin(), args.end());
    Process process(command);
    EXPECT_EQ(process.ReadLine(), "");
    const int code = process.Wait();
    EXPECT_TRUE(code == 1 || code == 2) << code;
  }
}

}  // namespace
}  // namespace tributary
