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
#include "absl/functional/function_ref.h"
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
    join_ = Join();
    int failures = join_.failures;
    for (int attempt = join_.attempt;; ++attempt) {
      ASSIGN_OR_RETURN(const std::optional<AttemptEnd> end,
                       RunAttempt(attempt, failures));
      if (!end) return 0;
      if (end->kind == EndKind::kInterrupted) return end->exit_code;
      if (end->kind == EndKind::kLost) return LostJob(*end);
      LogEnd(attempt, *end);
      if (!StartsAgain(*end, failures, options_.max_restarts)) {
        // Nobody has told the cause.
        return end->exit_code == kPeersLostExitCode ? 1 : end->exit_code;
      }
      if (end->counts()) ++failures;
      Log(LogLevel::kWarning,
          end->counts()
              ? absl::StrCat("starting all ranks again: restart ", failures,
                             " of at most ", options_.max_restarts)
              : "starting all ranks again, which counts as no restart");
      state_.emplace(options_.graces);
      reported_.reset();
    }
  }

  // Whether the job goes on, and waits for this machine to be started again.
  bool comes_again() const { return leaves_ && !options_.node.serves_store(); }

 private:
  static void LogEnd(int attempt, const AttemptEnd& end) {
    if (end.counts()) {
      Log(LogLevel::kError,
          absl::StrCat("attempt ", attempt, " failed: ", end.why,
                       end.exit_code == kPermanentExitCode
                           ? "; another start cannot help"
                           : ""));
      return;
    }
    Log(LogLevel::kWarning,
        end.drained()
            ? absl::StrCat("attempt ", attempt,
                           " ended for the sake of a server or a rank that was "
                           "asked to end: ",
                           end.why)
            : absl::StrCat("attempt ", attempt, " ended: ", end.why));
  }

  static absl::StatusOr<int> LostJob(const AttemptEnd& end) {
    if (end.exit_code == 1) return absl::UnavailableError(end.why);
    Log(end.exit_code == kDrainedExitCode ? LogLevel::kWarning
                                          : LogLevel::kError,
        end.why);
    return end.exit_code;
  }

  // Returns where this machine begins: a replaced one within the job.
  NodeJoin Join() {
    if (link_ == nullptr || !options_.replaceable()) return {};
    WaitForNodes(options_.gather_timeout,
                 [](const NodesView& view) { return view.joined.has_value(); });
    return link_->view().joined.value_or(NodeJoin());
  }

  // Returns why the attempt ended; nullopt: every rank has returned 0.
  absl::StatusOr<std::optional<AttemptEnd>> RunAttempt(int attempt,
                                                       int failures) {
    if (store_ != nullptr) {
      RETURN_IF_ERROR(
          store_->Set(FailuresKey(attempt), absl::StrCat(failures)));
      RETURN_IF_ERROR(store_->Set(kCurrentAttemptKey, absl::StrCat(attempt)));
    }
    if (std::exchange(join_.was_ready, false)) {
      LeaveToTheNext(attempt);
    } else {
      GatherNodes(attempt);
      if (!state_->end()) {
        const absl::Status status = RunProcesses(attempt);
        if (!status.ok()) {
          state_->End({EndKind::kLost, 1, std::string(status.message())},
                      Now());
          ReportEnd();
        }
      }
    }
    WaitForNodesToEnd();
    return EndOfAll();
  }

  // Ends an attempt that an earlier launcher of this machine took part in.
  void LeaveToTheNext(int attempt) {
    link_->ReportReady(attempt);
    if (join_.had_ended) return;
    state_->End({EndKind::kFailed, 1,
                 absl::StrCat("the launcher of node ", options_.node.node_rank,
                              " was lost, and is started again")},
                Now());
    ReportEnd();
  }

  // All machines go on from the same end, whichever they met first.
  std::optional<AttemptEnd> EndOfAll() const {
    const std::optional<AttemptEnd>& own = state_->end();
    if (link_ == nullptr || !own) return own;
    if (own->kind != EndKind::kFailed && own->kind != EndKind::kLeft) {
      return own;
    }
    const NodesView view = link_->view();
    return view.ended >= options_.node.nnodes && view.end ? view.end : own;
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
      if (info.ssi_signo == SIGCHLD) continue;
      leaves_ |= info.ssi_signo == SIGTERM && options_.replaceable();
      state_->Interrupt(Now());
    }
    if (link_ == nullptr) return;
    const NodesView view = link_->view();
    if (view.end) state_->End(*view.end, Now());
    if (!view.lost.ok()) {
      state_->End({EndKind::kLost, ExitCodeOfLoss(view.lost),
                   std::string(view.lost.message())},
                  Now());
    }
    ReportEnd();
  }

  // A machine that must not take part never may.
  static int ExitCodeOfLoss(const absl::Status& lost) {
    return absl::IsFailedPrecondition(lost) || absl::IsInvalidArgument(lost)
               ? kPermanentExitCode
               : 1;
  }

  // Tells the other machines why the attempt ends, and again when that is
  // replaced.
  void ReportEnd() {
    if (link_ == nullptr || !state_->end()) return;
    AttemptEnd end = *state_->end();
    if (leaves_ && end.kind == EndKind::kInterrupted) end = Leaving();
    if (reported_ && *reported_ >= end.priority()) return;
    reported_ = end.priority();
    link_->ReportEnd(end);
  }

  // What SIGTERM of a replaceable machine means to the others.
  AttemptEnd Leaving() const {
    if (options_.node.serves_store()) {
      return {EndKind::kLost, kDrainedExitCode,
              "the launcher of node 0, where all meet, was asked to end "
              "(SIGTERM): start all machines again"};
    }
    return {EndKind::kLeft, kDrainedExitCode,
            absl::StrCat("the launcher of node ", options_.node.node_rank,
                         " was asked to end (SIGTERM)")};
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
      if (code == 0 || state_->HasCaused(code, Now())) continue;
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
    WaitForNodes(attempt == 0 ? options_.gather_timeout : NodeTimeout(),
                 [this](const NodesView& view) {
                   return view.ready >= options_.node.nnodes;
                 });
  }

  void WaitForNodes(absl::Duration timeout,
                    absl::FunctionRef<bool(const NodesView&)> done) {
    const absl::Time start = Now();
    bool told = false;
    while (!state_->end()) {
      Tick();
      const NodesView view = link_->view();
      if (done(view)) return;
      if (Now() - start >= timeout) GiveUpOnNodes(view.ready, "have come");
      if (Now() - start < kPatience || std::exchange(told, true)) continue;
      Log(LogLevel::kWarning,
          absl::StrCat("waiting for all machines at ",
                       options_.node.master_addr, ":",
                       options_.node.master_port, ": ", view.ready, " of ",
                       options_.node.nnodes, " are there"));
    }
  }

  absl::Duration NodeTimeout() const {
    return std::max(options_.node_timeout, options_.replace_timeout);
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
      deadline = std::min(deadline, Now() + NodeTimeout());
      if (Now() >= deadline) GiveUpOnNodes(ended, "have ended their ranks");
    }
  }

  // Whether the job is over, whatever the other machines do.
  bool MustLeave() const {
    if (!state_->end()) return false;
    if (state_->end()->kind == EndKind::kLost) return true;
    if (comes_again()) return true;
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
  std::optional<AttemptState> state_{AttemptState(options_.graces)};
  std::unique_ptr<RankProcesses> ranks_;
  NodeJoin join_;
  std::optional<int> reported_;  // the priority of the end that others know
  bool leaves_ = false;          // SIGTERM has come, and others go on
};

// Leaves the job, or only this machine if it `comes_again`. Node 0 waits for
// the others, since it serves the store.
void Leave(const LaunchOptions& options, const absl::StatusOr<int>& code,
           bool comes_again, NodeLink& link) {
  if (!comes_again) link.ReportLeft();
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
    RETURN_IF_ERROR(store->Set(kRunKey, options.run_id));
  }
  std::unique_ptr<NodeLink> link;
  if (node.nnodes > 1) {
    link = std::make_unique<NodeLink>(NodeLinkOptions{
        .node = node,
        .run_id = options.run_id,
        .agreement = absl::StrCat(
            "--nnodes ", node.nnodes, " --nproc ", options.num_ranks,
            " --max-restarts ", options.max_restarts, " --replace-timeout ",
            absl::ToDoubleSeconds(options.replace_timeout)),
        .connect_timeout = options.gather_timeout,
        .limits = options.limits,
        .replaceable = options.replaceable()});
  }
  Launcher launcher(options, signals, store.get(), link.get());
  const absl::StatusOr<int> code = launcher.Run();
  if (link != nullptr) Leave(options, code, launcher.comes_again(), *link);
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
  // Not SIGTERM, by which all ranks end together as asked to: a launcher that
  // is lost is a failure, which counts.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) raise(SIGKILL);  // it has already ended
}

}  // namespace tributary
