#include "trainer_client/torch/ddp/rank_launcher.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/launch_choice.h"
#include "trainer_client/torch/ddp/rank_environment.h"

extern char** environ;

namespace tributary {
namespace {

absl::Status SystemError(const char* what, int error) {
  return absl::InternalError(absl::StrCat(what, ": ", std::strerror(error)));
}

struct ListenSocket {
  int fd = -1;
  uint16_t port = 0;
};

absl::StatusOr<ListenSocket> ListenOnLoopback() {
  ListenSocket result;
  result.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (result.fd < 0) return SystemError("socket", errno);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(result.fd, generic, size) != 0 || listen(result.fd, 128) != 0 ||
      getsockname(result.fd, generic, &size) != 0) {
    const int error = errno;
    close(result.fd);
    return SystemError("listen on 127.0.0.1", error);
  }
  result.port = ntohs(address.sin_port);
  return result;
}

// Returns the environment of a rank: environ, with the rank's variables set.
std::vector<std::string> RankVariables(int rank, const LaunchOptions& options,
                                       const ListenSocket& master) {
  const int cores = std::max<int>(1, std::thread::hardware_concurrency());
  std::vector<std::pair<std::string, std::string>> own = {
      {"RANK", absl::StrCat(rank)},
      {"LOCAL_RANK", absl::StrCat(rank)},
      {"WORLD_SIZE", absl::StrCat(options.num_ranks)},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", absl::StrCat(master.port)},
      {kLauncherPidVariable, absl::StrCat(getpid())}};
  if (rank == 0) {
    own.push_back({kMasterListenFdVariable, absl::StrCat(master.fd)});
  }
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    own.push_back({"OMP_NUM_THREADS",
                   absl::StrCat(std::max(1, cores / options.num_ranks))});
  }
  std::vector<std::string> variables;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string name(*v, std::strcspn(*v, "="));
    const bool replaced =
        name == kMasterListenFdVariable ||
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
absl::StatusOr<pid_t> SpawnRank(int rank, const LaunchOptions& options,
                                const ListenSocket& master) {
  std::vector<std::string> variables = RankVariables(rank, options, master);
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
  if (rank == 0) {
    posix_spawn_file_actions_adddup2(&actions, master.fd, master.fd);
  }
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, argv[0].c_str(), &actions, &attributes,
                  Pointers(argv).data(), Pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return SystemError(argv[0].c_str(), error);
  return pid;
}

// The running ranks and the job's exit code. The destructor kills and reaps
// what still runs.
class Ranks {
 public:
  explicit Ranks(const LaunchOptions& options) : options_(options) {}
  ~Ranks() {
    Signal(SIGKILL);
    for (pid_t pid : running_) waitpid(pid, nullptr, 0);
  }

  absl::Status Start(const ListenSocket& master) {
    for (int rank = 0; rank < options_.num_ranks; ++rank) {
      ASSIGN_OR_RETURN(const pid_t pid, SpawnRank(rank, options_, master));
      running_.push_back(pid);
    }
    return absl::OkStatus();
  }

  int Wait(int signals) {
    while (!running_.empty()) {
      pollfd wait{signals, POLLIN, 0};
      poll(&wait, 1, PollTimeout());
      signalfd_siginfo info;
      while (read(signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGCHLD) OnInterrupt();
      }
      Reap();
      if (SteadyClock().Now() >= kill_at_) Signal(SIGKILL);
    }
    return exit_code_;
  }

 private:
  int PollTimeout() const {
    if (kill_at_ == absl::InfiniteFuture()) return -1;
    const absl::Duration left = kill_at_ - SteadyClock().Now();
    return static_cast<int>(
        std::clamp<int64_t>(absl::ToInt64Milliseconds(left) + 1, 100, 60000));
  }

  void OnInterrupt() {
    if (exit_code_ == kInterruptedExitCode) kill_at_ = SteadyClock().Now();
    End(kInterruptedExitCode);
  }

  void End(int exit_code) {
    if (exit_code_ == 0) exit_code_ = exit_code;
    if (kill_at_ != absl::InfiniteFuture()) return;
    kill_at_ = SteadyClock().Now() + options_.grace;
    Signal(SIGTERM);
  }

  void Reap() {
    for (size_t i = 0; i < running_.size();) {
      int status = 0;
      if (waitpid(running_[i], &status, WNOHANG) != running_[i]) {
        ++i;
        continue;
      }
      running_.erase(running_.begin() + i);
      const int code =
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (code != 0) End(code);
    }
  }

  void Signal(int signal) {
    for (pid_t pid : running_) kill(pid, signal);
  }

  const LaunchOptions& options_;
  std::vector<pid_t> running_;
  absl::Time kill_at_ = absl::InfiniteFuture();
  int exit_code_ = 0;
};

}  // namespace

absl::StatusOr<int> RunRanks(const LaunchOptions& options) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) return SystemError("signalfd", errno);
  absl::Cleanup close_signals = [signals] { close(signals); };
  ASSIGN_OR_RETURN(const ListenSocket master, ListenOnLoopback());
  Ranks ranks(options);
  const absl::Status started = ranks.Start(master);
  close(master.fd);  // rank 0 has it now, and its end closes the port
  RETURN_IF_ERROR(started);
  return ranks.Wait(signals);
}

void EndWithLauncher() {
  const char* text = std::getenv(kLauncherPidVariable);
  int launcher = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &launcher)) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != launcher) raise(SIGTERM);  // it has already ended
}

}  // namespace tributary
