#include "trainer_client/torch/ddp/node_link.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/listen_socket.h"
#include "trainer_client/torch/ddp/rendezvous_store.h"

namespace tributary {
namespace {

constexpr char kInterruptedKey[] = "launch/interrupted";
constexpr char kLeftKey[] = "launch/left";

std::string KeyOf(int attempt, const char* name) {
  return absl::StrCat("launch/", attempt, "/", name);
}
std::string KeyOf(int attempt, const char* name, int node) {
  return absl::StrCat(KeyOf(attempt, name), "/", node);
}
std::string JoinKey(int node) { return absl::StrCat("launch/node/", node); }
std::string BeatKey(int node) { return absl::StrCat("launch/beat/", node); }

std::chrono::steady_clock::time_point After(absl::Duration duration) {
  return std::chrono::steady_clock::now() +
         absl::ToChronoMilliseconds(duration);
}

}  // namespace

bool NodeLink::Reports::operator==(const Reports& other) const {
  const auto priority = [](const std::optional<AttemptEnd>& end) {
    return end ? end->priority() : -1;
  };
  return attempt == other.attempt && ended == other.ended &&
         left == other.left && interrupted == other.interrupted &&
         priority(end) == priority(other.end);
}

NodeLink::NodeLink(NodeLinkOptions options)
    : options_(std::move(options)), answered_at_(absl::InfiniteFuture()) {
  thread_ = std::thread([this] { Run(); });
}

NodeLink::~NodeLink() {
  if (thread_.joinable()) thread_.join();
}

void NodeLink::ReportReady(int attempt) {
  MutexLock lock(mutex_);
  reports_.attempt = attempt;
  reports_.ended = false;
  reports_.end.reset();
  const NodesView before = view_;
  view_ = NodesView{
      .left = before.left, .joined = before.joined, .lost = before.lost};
  changed_.NotifyAll();
}

void NodeLink::ReportEnd(const AttemptEnd& end) {
  MutexLock lock(mutex_);
  if (end.kind == EndKind::kInterrupted) reports_.interrupted = true;
  if (!reports_.end || reports_.end->priority() < end.priority()) {
    reports_.end = end;
  }
  changed_.NotifyAll();
}

void NodeLink::ReportEnded() {
  MutexLock lock(mutex_);
  reports_.ended = true;
  changed_.NotifyAll();
}

void NodeLink::ReportLeft() {
  MutexLock lock(mutex_);
  reports_.left = true;
  changed_.NotifyAll();
}

NodesView NodeLink::view() const {
  MutexLock lock(mutex_);
  NodesView view = view_;
  const absl::Duration silence = SteadyClock().Now() - answered_at_;
  if (view.lost.ok() && silence >= options_.limits.alive) {
    view.lost = absl::UnavailableError(
        absl::StrCat("the launcher of node 0, at ", options_.node.master_addr,
                     ":", options_.node.master_port, ", has not answered for ",
                     absl::ToInt64Seconds(options_.limits.alive), " s"));
  }
  return view;
}

bool NodeLink::flushed() const {
  MutexLock lock(mutex_);
  return done_ || flushed_ == reports_;
}

bool NodeLink::Stop(absl::Duration timeout) {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.NotifyAll();
  const auto deadline = After(timeout);
  while (!done_ && changed_.WaitUntil(mutex_, deadline)) {
  }
  return done_;
}

void NodeLink::Run() {
  const absl::Status status = Work();
  MutexLock lock(mutex_);
  if (!status.ok()) view_.lost = status;
  done_ = true;
  changed_.NotifyAll();
}

absl::Status NodeLink::Work() {
  ASSIGN_OR_RETURN(const std::unique_ptr<RendezvousStore> store, Connect());
  if (store == nullptr) return absl::OkStatus();  // stopped
  RETURN_IF_ERROR(Join(*store));
  watch_.emplace(options_.node.nnodes, options_.limits, SteadyClock().Now());
  for (;;) {
    Reports reports;
    {
      MutexLock lock(mutex_);
      reports = reports_;
    }
    absl::Status status = Write(reports, *store);
    absl::StatusOr<NodesView> view = Read(reports.attempt, *store);
    if (status.ok()) status = view.status();
    if (status.ok()) status = WatchNodes(reports.attempt, *store);
    if (absl::IsAlreadyExists(status)) return status;
    if (!status.ok()) {
      return absl::UnavailableError(
          absl::StrCat("the launcher of node 0, at ", options_.node.master_addr,
                       ":", options_.node.master_port,
                       ", is gone: ", std::string(status.message())));
    }
    Publish(reports, *std::move(view));
    if (!WaitForChange(reports)) return absl::OkStatus();
  }
}

// Waits for the port before LibTorch connects: its own waiting cannot be
// stopped, and prints a stack trace for each try. Returns null when stopped.
absl::StatusOr<std::unique_ptr<RendezvousStore>> NodeLink::Connect() {
  const NodePlace& node = options_.node;
  const absl::Time deadline = SteadyClock().Now() + options_.connect_timeout;
  for (;;) {
    const absl::Status there =
        CheckListening(node.master_addr, node.master_port, absl::Seconds(2));
    if (there.ok()) {
      return RendezvousStore::Connect(node.master_addr, node.master_port,
                                      absl::Seconds(20));
    }
    MutexLock lock(mutex_);
    if (stopped_) return nullptr;
    if (SteadyClock().Now() >= deadline) {
      return absl::UnavailableError(
          absl::StrCat("the launcher of node 0 did not start within ",
                       absl::FormatDuration(options_.connect_timeout), ": ",
                       std::string(there.message())));
    }
    changed_.WaitUntil(mutex_, After(options_.interval));
  }
}

// Must come first: whatever a machine of another run writes would disturb this
// one. Node 0 names the run as soon as it serves the store.
absl::Status NodeLink::CheckRun(RendezvousStore& store) {
  const absl::Time deadline = SteadyClock().Now() + options_.connect_timeout;
  for (;;) {
    ASSIGN_OR_RETURN(const auto there, store.Get(kRunKey));
    if (there && *there == options_.run_id) return absl::OkStatus();
    if (there) {
      return OtherRun(absl::StrCat(options_.node.master_addr, ":",
                                   options_.node.master_port),
                      *there, options_.run_id);
    }
    MutexLock lock(mutex_);
    if (stopped_ || SteadyClock().Now() >= deadline) {
      return absl::UnavailableError("the run has no identity yet");
    }
    changed_.WaitUntil(mutex_, After(options_.interval));
  }
}

absl::Status NodeLink::Join(RendezvousStore& store) {
  RETURN_IF_ERROR(CheckRun(store));
  ASSIGN_OR_RETURN(const std::string agreed,
                   store.SetIfAbsent("launch/agreement", options_.agreement));
  if (agreed != options_.agreement) {
    return absl::InvalidArgumentError(
        absl::StrCat("node ", options_.node.node_rank, " was started with ",
                     options_.agreement, ", another machine with ", agreed,
                     "; allowed: the same on all machines"));
  }
  ASSIGN_OR_RETURN(join_number_,
                   store.Add(JoinKey(options_.node.node_rank), 1));
  if (join_number_ > 1 && !options_.replaceable) {
    return absl::AlreadyExistsError(absl::StrCat(
        "--node-rank ", options_.node.node_rank,
        " has joined the job before; allowed: another one for each machine, "
        "and a new start of all machines after one was lost, or "
        "--replace-timeout"));
  }
  ASSIGN_OR_RETURN(joined_, ReadJoin(store));
  return absl::OkStatus();
}

absl::StatusOr<NodeJoin> NodeLink::ReadJoin(RendezvousStore& store) const {
  NodeJoin join;
  ASSIGN_OR_RETURN(const auto attempt, store.Get(kCurrentAttemptKey));
  if (!attempt || !absl::SimpleAtoi(*attempt, &join.attempt)) return join;
  ASSIGN_OR_RETURN(const auto failures, store.Get(FailuresKey(join.attempt)));
  if (failures && !absl::SimpleAtoi(*failures, &join.failures)) return join;
  const int node = options_.node.node_rank;
  ASSIGN_OR_RETURN(const int64_t ready,
                   store.Add(KeyOf(join.attempt, "ready", node), 0));
  ASSIGN_OR_RETURN(const int64_t ended,
                   store.Add(KeyOf(join.attempt, "ended", node), 0));
  join.was_ready = ready > 0;
  join.had_ended = ended > 0;
  return join;
}

absl::Status NodeLink::Count(int attempt, const char* name, int node,
                             RendezvousStore& store) {
  ASSIGN_OR_RETURN(const int64_t times,
                   store.Add(KeyOf(attempt, name, node), 1));
  if (times > 1) return absl::OkStatus();
  return store.Add(KeyOf(attempt, name), 1).status();
}

absl::Status NodeLink::WriteEnd(int attempt, const AttemptEnd& end,
                                RendezvousStore& store) {
  const std::string key = KeyOf(attempt, "end");
  ASSIGN_OR_RETURN(const std::string now, store.SetIfAbsent(key, end.ToText()));
  ASSIGN_OR_RETURN(const AttemptEnd other, ParseAttemptEnd(now));
  if (other.priority() >= end.priority()) return absl::OkStatus();
  return store.Set(key, end.ToText());
}

// Writes what is new, an end before `ended`: once all machines have ended, no
// further end can come.
absl::Status NodeLink::Write(const Reports& now, RendezvousStore& store) {
  const int node = options_.node.node_rank;
  if (now.attempt != written_.attempt) {
    RETURN_IF_ERROR(Count(now.attempt, "ready", node, store));
    written_.attempt = now.attempt;
    written_.ended = false;
    written_.end.reset();
  }
  if (now.interrupted && !written_.interrupted) {
    RETURN_IF_ERROR(store.Add(kInterruptedKey, 1).status());
  }
  if (now.end &&
      (!written_.end || written_.end->priority() < now.end->priority())) {
    RETURN_IF_ERROR(WriteEnd(now.attempt, *now.end, store));
  }
  if (now.ended && !written_.ended) {
    RETURN_IF_ERROR(Count(now.attempt, "ended", node, store));
  }
  if (now.left && !written_.left) {
    RETURN_IF_ERROR(store.Add(kLeftKey, 1).status());
  }
  written_ = now;
  return absl::OkStatus();
}

absl::StatusOr<NodesView> NodeLink::Read(int attempt, RendezvousStore& store) {
  NodesView view;
  view.lost = lost_node_;
  view.joined = joined_;
  ASSIGN_OR_RETURN(view.left, store.Add(kLeftKey, 0));
  if (attempt < 0) return view;
  ASSIGN_OR_RETURN(view.ready, store.Add(KeyOf(attempt, "ready"), 0));
  // Before the ends: see Write().
  ASSIGN_OR_RETURN(view.ended, store.Add(KeyOf(attempt, "ended"), 0));
  ASSIGN_OR_RETURN(const auto end, store.Get(KeyOf(attempt, "end")));
  if (end) {
    ASSIGN_OR_RETURN(view.end, ParseAttemptEnd(*end));
  }
  ASSIGN_OR_RETURN(const int64_t interrupts, store.Add(kInterruptedKey, 0));
  if (interrupts > 0) {
    view.end =
        AttemptEnd{EndKind::kInterrupted, kInterruptedExitCode, "interrupted"};
  }
  return view;
}

absl::Status NodeLink::WatchNodes(int attempt, RendezvousStore& store) {
  const absl::Time now = SteadyClock().Now();
  const NodePlace& node = options_.node;
  if (attempt < 0 || now - watched_at_ < absl::Seconds(1)) {
    return absl::OkStatus();
  }
  watched_at_ = now;
  if (node.node_rank != 0) return Beat(store);
  std::vector<Beats> beats(node.nnodes);
  for (int i = 1; i < node.nnodes; ++i) {
    ASSIGN_OR_RETURN(const int64_t beat, store.Add(BeatKey(i), 0));
    beats[i].alive = static_cast<uint64_t>(beat);
  }
  watch_->Observe(beats, now);
  for (int i = 1; i < node.nnodes; ++i) {
    if (beats[i].alive == 0) continue;  // has not joined: waited for elsewhere
    const auto reason = watch_->FrozenReason(i);
    if (reason) RETURN_IF_ERROR(TakeOut(i, attempt, *reason, store));
  }
  return absl::OkStatus();
}

absl::Status NodeLink::Beat(RendezvousStore& store) {
  const int node = options_.node.node_rank;
  ASSIGN_OR_RETURN(const int64_t joins, store.Add(JoinKey(node), 0));
  if (joins != join_number_) {
    return absl::AlreadyExistsError(absl::StrCat(
        "another launcher with --node-rank ", node,
        " has taken this one's place; allowed: another --node-rank for each "
        "machine"));
  }
  return store.Add(BeatKey(node), 1).status();
}

// Ends the attempt that a silent machine takes part in, and counts its ranks as
// ended: they cannot meet those of a later attempt. Until it is started again
// the others wait for it.
absl::Status NodeLink::TakeOut(int node, int attempt, const std::string& reason,
                               RendezvousStore& store) {
  const std::string why =
      absl::StrCat("the launcher of node ", node, " is lost: ", reason);
  if (!options_.replaceable) {
    lost_node_ = absl::UnavailableError(why);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int64_t ready,
                   store.Add(KeyOf(attempt, "ready", node), 0));
  ASSIGN_OR_RETURN(const int64_t ended,
                   store.Add(KeyOf(attempt, "ended", node), 0));
  if (ready == 0 || ended > 0) return absl::OkStatus();
  RETURN_IF_ERROR(WriteEnd(attempt, {EndKind::kFailed, 1, why}, store));
  return Count(attempt, "ended", node, store);
}

void NodeLink::Publish(const Reports& of, NodesView view) {
  MutexLock lock(mutex_);
  answered_at_ = SteadyClock().Now();
  flushed_ = of;
  if (of.attempt == reports_.attempt) {
    view_ = std::move(view);
  }
}

// Returns false when stopped and nothing is left to be written.
bool NodeLink::WaitForChange(const Reports& written) {
  MutexLock lock(mutex_);
  const auto deadline = After(options_.interval);
  while (!stopped_ && reports_ == written &&
         changed_.WaitUntil(mutex_, deadline)) {
  }
  return !stopped_ || !(reports_ == written);
}

}  // namespace tributary
