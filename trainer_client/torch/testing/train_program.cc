#include "trainer_client/torch/testing/train_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "trainer_client/torch/command/train_command.h"
#include "trainer_client/torch/testing/in_memory_loader.h"

extern char** environ;

namespace tributary {
namespace {

class InMemorySource final : public BatchSource {
 public:
  explicit InMemorySource(std::string kind)
      : kind_(std::move(kind)), graph_(MakeGraph(kind_)) {}

  absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const SessionOptions& session) override {
    NeighborLoaderOptions options;
    static_cast<CommonLoaderOptions&>(options) = session;
    static_cast<NeighborOptions&>(options) =
        std::get<NeighborOptions>(session.kind);
    InMemoryLoaderFaults faults{.epoch = 1};
    if (options.input_split == "train" && options.rank == 0) {
      if (kind_ == "fail" || kind_ == "fail-slowly") faults.fail_at = 0;
      if (kind_ == "hang") faults.hang_at = 0;
      if (kind_ == "hang-inside") faults.hang_at = 2;
    }
    if (kind_ == "abort" && options.rank == 1) std::abort();
    return MakeInMemoryLoader(graph_, options, faults);
  }

 private:
  static std::shared_ptr<const InMemoryGraph> MakeGraph(
      const std::string& kind) {
    auto graph = std::make_shared<InMemoryGraph>(CommunityGraph(4, 40, 1));
    // Node 0 is trained on.
    for (int64_t i = 0; kind == "nan" && i < graph->num_features; ++i) {
      graph->x[static_cast<size_t>(i)] =
          std::numeric_limits<float>::quiet_NaN();
    }
    if (kind == "unlabelled") {
      for (const int64_t node : graph->splits["valid"]) {
        graph->y[static_cast<size_t>(node)] = -1;
      }
    }
    return graph;
  }

  const std::string kind_;
  const std::shared_ptr<const InMemoryGraph> graph_;
};

// Returns what goes wrong in this attempt.
std::string KindOf(const std::string& graph) {
  if (!absl::EndsWith(graph, "-first")) return graph;
  const char* attempt = std::getenv("TRIBUTARY_ATTEMPT");
  if (attempt != nullptr && std::string(attempt) != "0") return "good";
  return std::string(absl::StripSuffix(graph, "-first"));
}

// Whether the process has `variable`, such as "RANK=1", in its environment.
bool HasVariable(pid_t pid, const std::string& variable) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/environ"));
  for (std::string one; std::getline(file, one, '\0');) {
    if (one == variable) return true;
  }
  return false;
}

// Returns the processes that `pid` has started.
std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/task/", pid, "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

// Waits until this process is the only one of its parent, or 60 s.
void WaitForOtherRanks() {
  for (int i = 0; i < 6000 && ChildrenOf(getppid()).size() > 1; ++i) {
    poll(nullptr, 0, 10);
  }
}

}  // namespace

int RunTrainProgram(int argc, char** argv) {
  const int code = RunTrainCommand(
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
        return std::make_unique<InMemorySource>(KindOf(options.graph));
      });
  const char* rank = std::getenv("RANK");
  if (code != 0 && std::string(argv[2]) == "fail-slowly" && rank != nullptr &&
      std::string(rank) == "0") {
    WaitForOtherRanks();
  }
  return code;
}

TrainProgram::TrainProgram(std::vector<std::string> words) {
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
      posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_fds[1]);
}

TrainProgram::~TrainProgram() {
  close(out_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

bool TrainProgram::ReadUntil(const std::string& text) {
  while (text.empty() || !ended_.Has(text)) {
    pollfd wait{out_, POLLIN, 0};
    if (poll(&wait, 1, 60000) <= 0) return false;
    char buffer[4096];
    const ssize_t n = read(out_, buffer, sizeof(buffer));
    if (n <= 0) return text.empty();
    ended_.text.append(buffer, n);
  }
  return true;
}

Ended TrainProgram::Wait() {
  EXPECT_TRUE(ReadUntil("")) << ended_.text;
  int status = 0;
  EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
  pid_ = -1;
  if (WIFEXITED(status)) ended_.exit_code = WEXITSTATUS(status);
  return ended_;
}

void TrainProgram::Signal(int signal) { kill(pid_, signal); }

std::optional<pid_t> TrainProgram::PidOfRank(int rank) const {
  for (const pid_t child : ChildrenOf(pid_)) {
    if (HasVariable(child, absl::StrCat("RANK=", rank))) return child;
  }
  return std::nullopt;
}

}  // namespace tributary
