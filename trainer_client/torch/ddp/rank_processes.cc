#include "trainer_client/torch/ddp/rank_processes.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/usable_cores.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/launch_choice.h"
#include "trainer_client/torch/ddp/node_place.h"
#include "trainer_client/torch/ddp/rank_environment.h"

extern char** environ;

namespace tributary {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables OwnVariables(int local, const RankProcessOptions& options,
                       int heartbeat_fd) {
  const int cores = UsableCores();
  Variables own = {
      {"RANK",
       absl::StrCat(RankInJob(options.node_rank, options.num_ranks, local))},
      {"LOCAL_RANK", absl::StrCat(local)},
      {"WORLD_SIZE", absl::StrCat(options.nnodes * options.num_ranks)},
      {"MASTER_ADDR", options.master_addr},
      {"MASTER_PORT", absl::StrCat(options.master_port)},
      {kLauncherPidVariable, absl::StrCat(getpid())},
      {kAttemptVariable, absl::StrCat(options.attempt)},
      {kHeartbeatFdVariable, absl::StrCat(heartbeat_fd)}};
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    own.push_back({"OMP_NUM_THREADS",
                   absl::StrCat(std::max(1, cores / options.num_ranks))});
  }
  return own;
}

// Returns the environment of a rank: environ, with the rank's variables set.
std::vector<std::string> WithEnvironment(const Variables& own) {
  std::vector<std::string> variables;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string name(*v, std::strcspn(*v, "="));
    const bool replaced =
        std::any_of(own.begin(), own.end(),
                    [&](const auto& pair) { return pair.first == name; });
    if (!replaced) variables.push_back(*v);
  }
  for (const auto& [name, value] : own) {
    variables.push_back(absl::StrCat(name, "=", value));
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts a rank in a process group of its own, so that a terminal's Ctrl-C
// reaches only the launcher, which passes it on once.
absl::StatusOr<pid_t> SpawnRank(int local, const RankProcessOptions& options,
                                int heartbeat_fd) {
  std::vector<std::string> variables =
      WithEnvironment(OwnVariables(local, options, heartbeat_fd));
  std::vector<std::string> argv = options.argv;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // A dup2 onto itself clears close-on-exec.
  posix_spawn_file_actions_adddup2(&actions, heartbeat_fd, heartbeat_fd);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, argv[0].c_str(), &actions, &attributes,
                  Pointers(argv).data(), Pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return absl::InternalError(
        absl::StrCat(argv[0], ": ", std::strerror(error)));
  }
  return pid;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RankProcesses>> RankProcesses::Start(
    const RankProcessOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<HeartbeatBoard> board,
                   HeartbeatBoard::Create(options.num_ranks));
  std::unique_ptr<RankProcesses> ranks(new RankProcesses(std::move(board)));
  for (int local = 0; local < options.num_ranks; ++local) {
    ASSIGN_OR_RETURN(const pid_t pid,
                     SpawnRank(local, options, ranks->board_->fd()));
    ranks->pids_.push_back(pid);
  }
  return ranks;
}

RankProcesses::~RankProcesses() {
  Signal(SIGKILL);
  for (pid_t pid : pids_) {
    if (pid != 0) waitpid(pid, nullptr, 0);
  }
}

bool RankProcesses::running() const {
  return std::any_of(pids_.begin(), pids_.end(),
                     [](pid_t pid) { return pid != 0; });
}

std::vector<EndedRank> RankProcesses::Reap() {
  std::vector<EndedRank> ended;
  for (size_t i = 0; i < pids_.size(); ++i) {
    int status = 0;
    if (pids_[i] == 0 || waitpid(pids_[i], &status, WNOHANG) != pids_[i]) {
      continue;
    }
    ended.push_back({static_cast<int>(i), pids_[i], status});
    pids_[i] = 0;
  }
  std::stable_partition(ended.begin(), ended.end(), [](const EndedRank& rank) {
    return WIFSIGNALED(rank.wait_status);
  });
  return ended;
}

void RankProcesses::Signal(int signal) {
  for (size_t i = 0; i < pids_.size(); ++i) Signal(static_cast<int>(i), signal);
}

void RankProcesses::Signal(int local, int signal) {
  if (pids_[local] != 0) kill(pids_[local], signal);
}

}  // namespace tributary
