// The whole program over an in-memory source: the test runs itself again as
// `tributary-train`, whose --graph names what goes wrong.
#include "trainer_client/torch/train/train_command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/testing/in_memory_loader.h"

extern char** environ;

namespace tributary {
namespace {

// --- the program -------------------------------------------------------------

class InMemorySource final : public BatchSource {
 public:
  explicit InMemorySource(std::string kind) : kind_(std::move(kind)) {}

  absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const SessionOptions& session) override {
    NeighborLoaderOptions options;
    static_cast<CommonLoaderOptions&>(options) = session;
    static_cast<NeighborOptions&>(options) =
        std::get<NeighborOptions>(session.kind);
    InMemoryLoaderFaults faults{.epoch = 1};
    if (options.input_split == "train" && options.rank == 0) {
      if (kind_ == "fail") faults.fail_at = 0;
      if (kind_ == "hang") faults.hang_at = 0;
    }
    return MakeInMemoryLoader(graph_, options, faults);
  }

 private:
  const std::string kind_;
  const std::shared_ptr<const InMemoryGraph> graph_ =
      std::make_shared<InMemoryGraph>(CommunityGraph(4, 40, 1));
};

int RunProgram(int argc, char** argv) {
  return RunTrainCommand(
      argc, argv,
      [](const BatchSourceOptions& options)
          -> absl::StatusOr<std::unique_ptr<BatchSource>> {
        if (options.graph == "missing") {
          return absl::NotFoundError("missing: no such graph");
        }
        if (options.graph == "who") {
          return absl::NotFoundError(
              absl::StrCat("client ", options.worker.client_rank, " of ",
                           options.worker.num_clients));
        }
        return std::make_unique<InMemorySource>(options.graph);
      });
}

// --- its user ----------------------------------------------------------------

struct Ended {
  int exit_code = -1;
  std::string text;  // stdout and stderr
};

class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    words.insert(words.begin(), "/proc/self/exe");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int pipe_fds[2];
    EXPECT_EQ(pipe2(pipe_fds, O_CLOEXEC), 0);
    out_ = pipe_fds[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDERR_FILENO);
    EXPECT_EQ(
        posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ),
        0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_fds[1]);
  }
  ~Program() {
    close(out_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  // False when 30 s pass without any output.
  bool ReadUntil(const std::string& text) {
    while (text.empty() || ended_.text.find(text) == std::string::npos) {
      pollfd wait{out_, POLLIN, 0};
      if (poll(&wait, 1, 30000) <= 0) return false;
      char buffer[4096];
      const ssize_t n = read(out_, buffer, sizeof(buffer));
      if (n <= 0) return text.empty();
      ended_.text.append(buffer, n);
    }
    return true;
  }

  // Every process that has our pipe is gone then: ranks included.
  Ended Wait() {
    EXPECT_TRUE(ReadUntil("")) << ended_.text;
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    if (WIFEXITED(status)) ended_.exit_code = WEXITSTATUS(status);
    return ended_;
  }

  void Signal(int signal) { kill(pid_, signal); }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  Ended ended_;
};

Ended RunIt(std::vector<std::string> words) {
  words.insert(words.begin() + 2,
               {"--batch-size", "12", "--hidden", "8", "--lr", "0.02"});
  return Program(std::move(words)).Wait();
}

bool Has(const Ended& ended, const std::string& text) {
  return ended.text.find(text) != std::string::npos;
}

TEST(TrainCommandTest, OneProcess) {
  const std::string log = std::string(std::getenv("TEST_TMPDIR")) + "/log";
  const Ended ended =
      RunIt({"--graph", "good", "--epochs", "20", "--log", log});
  EXPECT_EQ(ended.exit_code, 0) << ended.text;
  EXPECT_TRUE(Has(ended, "epoch 20/20  loss ")) << ended.text;
  EXPECT_TRUE(Has(ended, "result test_accuracy=0.9") ||
              Has(ended, "result test_accuracy=1.0"))
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
  EXPECT_TRUE(Has(ended, "epoch 3/3")) << ended.text;
  EXPECT_EQ(ended.text.find("result"), ended.text.rfind("result"));
}

TEST(TrainCommandTest, AFailedRankEndsAll) {
  const Ended ended =
      RunIt({"--graph", "fail", "--nproc", "2", "--epochs", "3"});
  EXPECT_EQ(ended.exit_code, 1) << ended.text;
  EXPECT_TRUE(Has(ended, "rank 0: DATA_LOSS: batch 0 is broken")) << ended.text;
}

TEST(TrainCommandTest, TermEndsRanksCleanly) {
  for (int signal : {SIGTERM, SIGINT}) {
    Program program({"--graph", "hang", "--nproc", "2", "--epochs", "3",
                     "--batch-size", "12"});
    ASSERT_TRUE(program.ReadUntil("epoch 1/3"));
    program.Signal(signal);
    const Ended ended = program.Wait();
    EXPECT_EQ(ended.exit_code, 130) << ended.text;
    EXPECT_TRUE(Has(ended, "tributary-train: interrupted")) << ended.text;
  }
}

TEST(TrainCommandTest, NprocWithinTorchrunIsAUsageError) {
  setenv("RANK", "0", 1);
  const Ended ended =
      RunIt({"--graph", "good", "--nproc", "2", "--epochs", "1"});
  unsetenv("RANK");
  EXPECT_EQ(ended.exit_code, 2) << ended.text;
  EXPECT_TRUE(Has(ended, "tributary-train: --nproc 2 though")) << ended.text;
}

TEST(TrainCommandTest, SaysWhatIsWrong) {
  const Ended missing = RunIt({"--graph", "missing"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.text,
            "tributary-train: NOT_FOUND: missing: no such graph\n");
  // Ranks know which of the fleet's clients they are.
  const Ended who = RunIt({"--graph", "who", "--nproc", "2"});
  EXPECT_TRUE(Has(who, "client 0 of 2") || Has(who, "client 1 of 2"))
      << who.text;
  const Ended split = RunIt({"--graph", "good", "--input", "dev"});
  EXPECT_EQ(split.exit_code, 1);
  EXPECT_TRUE(Has(split, "no split \"dev\"")) << split.text;
  EXPECT_EQ(RunIt({"--graph", "good", "--epochs", "x"}).exit_code, 2);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--graph") {
    return tributary::RunProgram(argc, argv);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
