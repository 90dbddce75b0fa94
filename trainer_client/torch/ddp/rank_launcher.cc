#include "trainer_client/torch/ddp/rank_launcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/process/describe_exit.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/launch_choice.h"
#include "trainer_client/torch/ddp/listen_socket.h"
#include "trainer_client/torch/ddp/node_link.h"
#include "trainer_client/torch/ddp/rank_processes.h"
#include "trainer_client/torch/ddp/rendezvous_store.h"

namespace tributary {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(500);
constexpr absl::Duration kNodesTick = absl::Milliseconds(100);
// How long machines are waited for without a word.
constexpr absl::Duration kPatience = absl::Seconds(2);

absl::Time Now() { return SteadyClock().Now(); }

// One machine's launcher: the ranks of its attempts, one after another.
class Launcher {
 public:
  // `store` is null unless this machine serves it, `link` on one machine.
  Launcher(const LaunchOptions& options, int signals, RendezvousStore* store,
           NodeLink* link)
      : options_(options), signals_(signals), store_(store), link_(link) {}

  absl::StatusOr<int> Run() {
    int failures = 0;
    for (int attempt = 0;; ++attempt) {
      ASSIGN_OR_RETURN(const std::optional<AttemptEnd> end,
                       RunAttempt(attempt));
      if (!end) return 0;
      if (end->kind == EndKind::kInterrupted) return end->exit_code;
      if (end->kind == EndKind::kLost) return absl::UnavailableError(end->why);
      LogEnd(attempt, *end);
      if (!StartsAgain(*end, failures, options_.max_restarts)) {
        return end->exit_code;
      }
      if (!end->drained()) ++failures;
      Log(LogLevel::kWarning,
          end->drained()
              ? "starting all ranks again, which counts as no restart"
              : absl::StrCat("starting all ranks again: restart ", failures,
                             " of at most ", options_.max_restarts));
    }
  }

 private:
  static void LogEnd(int attempt, const AttemptEnd& end) {
    if (end.drained()) {
      Log(LogLevel::kWarning,
          absl::StrCat("attempt ", attempt,
                       " ended at a checkpoint: a server that holds rows wants "
                       "to end"));
    } else {
      Log(LogLevel::kError,
          absl::StrCat("attempt ", attempt, " failed: ", end.why));
    }
  }

  // Returns why the attempt ended; nullopt: every rank has returned 0.
  absl::StatusOr<std::optional<AttemptEnd>> RunAttempt(int attempt) {
    state_.emplace(options_.graces);
    reported_ = false;
    if (store_ != nullptr) {
      RETURN_IF_ERROR(store_->Set(kCurrentAttemptKey, absl::StrCat(attempt)));
    }
    GatherNodes(attempt);
    if (!state_->end()) {
      const absl::Status status = RunProcesses(attempt);
      if (!status.ok()) {
        state_->End({EndKind::kLost, 1, std::string(status.message())}, Now());
        ReportEnd();
      }
    }
    WaitForNodesToEnd();
    return state_->end();
  }

  absl::Status RunProcesses(int attempt) {
    RankProcessOptions options{
        .num_ranks = options_.num_ranks,
        .nnodes = options_.node.nnodes,
        .node_rank = std::max(0, options_.node.node_rank),
        .attempt = attempt,
        .master_addr = options_.node.master_addr,
        .master_port = options_.node.master_port,
        .argv = options_.argv};
    ASSIGN_OR_RETURN(ranks_, RankProcesses::Start(options));
    LivenessWatch watch(options_.num_ranks, options_.limits, Now());
    while (ranks_->running()) {
      Tick();
      Reap();
      EndFrozenRanks(watch);
      if (state_->TakeTerminate()) ranks_->Signal(SIGTERM);
      if (state_->MustKill(Now())) ranks_->Signal(SIGKILL);
    }
    ranks_.reset();
    return absl::OkStatus();
  }

  // Waits a moment for a signal, then handles signals and other machines.
  void Tick() {
    pollfd wait{signals_, POLLIN, 0};
    poll(&wait, 1,
         static_cast<int>(
             absl::ToInt64Milliseconds(link_ == nullptr ? kTick : kNodesTick)));
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      if (info.ssi_signo != SIGCHLD) state_->Interrupt(Now());
    }
    if (link_ == nullptr) return;
    const NodesView view = link_->view();
    if (view.end) state_->End(*view.end, Now());
    if (!view.lost.ok()) {
      state_->End({EndKind::kLost, 1, std::string(view.lost.message())}, Now());
    }
    ReportEnd();
  }

  // Tells the other machines once why the attempt ends, and once more if an
  // interrupt replaces that.
  void ReportEnd() {
    if (link_ == nullptr || !state_->end()) return;
    const bool interrupted = state_->end()->kind == EndKind::kInterrupted;
    if (!std::exchange(reported_, true) ||
        (interrupted && !std::exchange(reported_interrupt_, true))) {
      link_->ReportEnd(*state_->end());
    }
  }

  std::string NameOf(int local, pid_t pid) const {
    const int node = std::max(0, options_.node.node_rank);
    return absl::StrCat(
        "rank ", RankInJob(node, options_.num_ranks, local), " (process ", pid,
        link_ == nullptr ? "" : absl::StrCat(" on node ", node), ")");
  }

  void Reap() {
    for (const EndedRank& rank : ranks_->Reap()) {
      const int code = ExitCodeOf(rank.wait_status);
      if (code == 0) continue;
      state_->End({EndKind::kFailed, code,
                   absl::StrCat(NameOf(rank.local, rank.pid), " ",
                                DescribeExit(rank.wait_status))},
                  Now());
    }
    ReportEnd();
  }

  void EndFrozenRanks(LivenessWatch& watch) {
    watch.Observe(ranks_->beats(), Now());
    for (int local = 0; local < options_.num_ranks; ++local) {
      const auto reason = watch.FrozenReason(local);
      if (!ranks_->running(local) || !reason) continue;
      state_->End({EndKind::kFailed, 1,
                   absl::StrCat(NameOf(local, ranks_->pid(local)),
                                " is frozen: ", *reason)},
                  Now());
      ranks_->Signal(local, SIGKILL);  // it would not react to SIGTERM
    }
    ReportEnd();
  }

  // Waits until every machine is at the attempt, or the attempt ends before.
  void GatherNodes(int attempt) {
    if (link_ == nullptr) return;
    link_->ReportReady(attempt);
    const absl::Time start = Now();
    const absl::Duration timeout =
        attempt == 0 ? options_.gather_timeout : options_.node_timeout;
    bool told = false;
    while (!state_->end()) {
      Tick();
      const int ready = link_->view().ready;
      if (ready >= options_.node.nnodes) return;
      if (Now() - start >= timeout) GiveUpOnNodes(ready, "have come");
      if (Now() - start < kPatience || std::exchange(told, true)) continue;
      Log(LogLevel::kWarning,
          absl::StrCat("waiting for all machines at ",
                       options_.node.master_addr, ":",
                       options_.node.master_port, ": ", ready, " of ",
                       options_.node.nnodes, " are there"));
    }
  }

  // Waits until the ranks of every machine have ended, so that none of them
  // meets those of the next attempt. Other machines may train on for a while
  // unless the attempt must end.
  void WaitForNodesToEnd() {
    if (link_ == nullptr) return;
    link_->ReportEnded();
    absl::Time deadline = absl::InfiniteFuture();
    for (;;) {
      const int ended = link_->view().ended;
      Tick();  // takes an end that was reported before the last `ended`
      if (ended >= options_.node.nnodes || MustLeave()) return;
      if (!state_->end()) continue;
      deadline = std::min(deadline, Now() + options_.node_timeout);
      if (Now() >= deadline) GiveUpOnNodes(ended, "have ended their ranks");
    }
  }

  // Whether the job is over, whatever the other machines do.
  bool MustLeave() const {
    if (!state_->end()) return false;
    if (state_->end()->kind == EndKind::kLost) return true;
    return state_->end()->kind == EndKind::kInterrupted &&
           (state_->MustKill(Now()) ||
            link_->view().ready < options_.node.nnodes);
  }

  void GiveUpOnNodes(int count, const char* what) {
    state_->End({EndKind::kLost, 1,
                 absl::StrCat("only ", count, " of ", options_.node.nnodes,
                              " machines ", what, " in time")},
                Now());
  }

  const LaunchOptions& options_;
  const int signals_;
  RendezvousStore* const store_;
  NodeLink* const link_;
  std::optional<AttemptState> state_;
  std::unique_ptr<RankProcesses> ranks_;
  bool reported_ = false;
  bool reported_interrupt_ = false;
};

// Leaves the job. Node 0 waits for the others, since it serves the store.
void Leave(const LaunchOptions& options, const absl::StatusOr<int>& code,
           NodeLink& link) {
  link.ReportLeft();
  const absl::Time start = Now();
  for (;;) {
    const NodesView view = link.view();
    const bool others_left =
        !options.node.serves_store() || view.left >= view.ready;
    if (link.flushed() && others_left) break;
    if (Now() - start >= absl::Seconds(view.lost.ok() ? 10 : 3)) break;
    poll(nullptr, 0, 50);
  }
  if (link.Stop(absl::Seconds(5))) return;
  Log(LogLevel::kError, absl::StrCat("the rendezvous store does not answer; ",
                                     std::string(code.status().message())));
  // A thread waits in LibTorch, and nothing can end that wait.
  std::_Exit(code.value_or(1));
}

absl::StatusOr<std::unique_ptr<RendezvousStore>> ServeStore(NodePlace& node) {
  ASSIGN_OR_RETURN(const ListenSocket socket,
                   node.nnodes == 1 ? ListenOnLoopback(node.master_port)
                                    : ListenOnAllInterfaces(node.master_port));
  node.master_port = socket.port;
  return RendezvousStore::Serve(socket);
}

absl::StatusOr<int> Launch(LaunchOptions options, int signals) {
  NodePlace& node = options.node;
  if (node.nnodes == 1) node.master_addr = "127.0.0.1";
  if (node.nnodes > 1 && node.master_port == 0) {
    node.master_port = NodePlace::kDefaultPort;
  }
  std::unique_ptr<RendezvousStore> store;
  if (node.serves_store()) {
    ASSIGN_OR_RETURN(store, ServeStore(node));
  }
  std::unique_ptr<NodeLink> link;
  if (node.nnodes > 1) {
    link = std::make_unique<NodeLink>(NodeLinkOptions{
        .node = node,
        .agreement = absl::StrCat("--nnodes ", node.nnodes, " --nproc ",
                                  options.num_ranks, " --max-restarts ",
                                  options.max_restarts),
        .connect_timeout = options.gather_timeout,
        .limits = options.limits});
  }
  const absl::StatusOr<int> code =
      Launcher(options, signals, store.get(), link.get()).Run();
  if (link != nullptr) Leave(options, code, *link);
  return code;
}

}  // namespace

absl::StatusOr<int> RunRanks(const LaunchOptions& options) {
  RETURN_IF_ERROR(options.node.Validate());
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) {
    return absl::InternalError(
        absl::StrCat("signalfd: ", std::strerror(errno)));
  }
  absl::Cleanup close_signals = [signals] { close(signals); };
  return Launch(options, signals);
}

void EndWithLauncher() {
  const char* text = std::getenv(kLauncherPidVariable);
  int launcher = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &launcher)) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != launcher) raise(SIGTERM);  // it has already ended
}

}  // namespace tributary
