#include "trainer_client/modes/worker_fleet.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/net/socket_loop.h"
#include "channel/shm/worker_report.h"
#include "common/observe/log.h"
#include "common/process/describe_exit.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"
#include "trainer_client/modes/worker_process.h"

namespace tributary {
namespace {

constexpr absl::Duration kFirstRestart = absl::Milliseconds(100);
constexpr absl::Duration kLastRestart = absl::Seconds(5);
// A worker that has run this long restarts without an increased delay.
constexpr absl::Duration kLongRun = absl::Seconds(10);
// The longest wait for killed workers, which takes far less.
constexpr absl::Duration kKillTimeout = absl::Seconds(60);

std::chrono::steady_clock::time_point After(absl::Duration duration) {
  return std::chrono::steady_clock::now() +
         absl::ToChronoMilliseconds(duration);
}

class WorkerFleetImpl final : public WorkerFleet {
 public:
  WorkerFleetImpl(const WorkerFleetOptions& options, ShmTransport* transport,
                  std::unique_ptr<SocketLoop> loop)
      : options_(options), transport_(transport), loop_(std::move(loop)) {
    for (int i = 0; i < options_.num_workers; ++i) {
      workers_.push_back(std::make_shared<Worker>(this, i));
    }
  }
  ~WorkerFleetImpl() override;

  absl::Status StartAll();
  std::vector<Address> addresses() const override {
    std::vector<Address> addresses;
    for (const auto& worker : workers_) addresses.push_back(worker->address());
    return addresses;
  }
  WorkerFleetStats stats() const override {
    MutexLock lock(mutex_);
    WorkerFleetStats stats;
    stats.restarts = restarts_;
    for (const auto& worker : workers_) {
      if (worker->pid > 0) stats.pids.push_back(worker->pid);
    }
    return stats;
  }
  bool Serves(const Address& address) const override {
    MutexLock lock(mutex_);
    return std::any_of(workers_.begin(), workers_.end(),
                       [&](const auto& worker) {
                         return worker->address() == address && worker->serves;
                       });
  }
  void KillHung(const Address& address) override {
    loop_->Post([this, address] {
      for (const auto& worker : workers_) {
        if (worker->address() != address || !Serves(address)) continue;
        LogError(
            absl::StrCat(address.ToString(), " answers nothing and is killed"));
        worker->Kill();
      }
    });
  }

 private:
  class Worker;
  // Calls a method of a worker, if it still exists, when a descriptor is
  // readable.
  class Watcher final : public SocketWatcher {
   public:
    Watcher(std::weak_ptr<Worker> worker, void (Worker::*then)())
        : worker_(std::move(worker)), then_(then) {}
    void OnReadable() override {
      if (const auto worker = worker_.lock()) ((*worker).*then_)();
    }
    void OnWritable() override {}

   private:
    const std::weak_ptr<Worker> worker_;
    void (Worker::*const then_)();
  };

  // One worker, which is restarted. Runs on the loop's thread, which must also
  // start the process: the system kills a worker when the *thread* that started
  // it ends. Fields guarded by the fleet's mutex are read by other threads.
  class Worker : public std::enable_shared_from_this<Worker> {
   public:
    Worker(WorkerFleetImpl* fleet, int number)
        : fleet_(fleet), number_(number) {}

    Address address() const { return {absl::StrCat("worker-", number_), 1}; }
    void Spawn();
    void OnReport();
    void OnDeath();
    void CloseDoor();
    void Kill() const;

    // Guarded by the fleet's mutex.
    pid_t pid = -1;
    bool serves = false;

   private:
    absl::Status TrySpawn();
    void RestartLater(const std::string& why);

    WorkerFleetImpl* const fleet_;
    const int number_;
    UniqueFd door_, pidfd_;
    absl::Time started_;
    absl::Duration restart_after_ = kFirstRestart;
  };

  void WorkerServes(Worker& worker) {
    MutexLock lock(mutex_);
    worker.serves = true;
    changed_.NotifyAll();
  }
  void StartFailed(const absl::Status& why) {
    MutexLock lock(mutex_);
    if (start_error_.ok()) start_error_ = why;
    changed_.NotifyAll();
  }
  bool AllServe() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->serves; });
  }
  bool AnyRuns() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->pid > 0; });
  }
  void WaitUntilEnded(absl::Duration most);

  const WorkerFleetOptions options_;
  ShmTransport* const transport_;
  std::vector<std::shared_ptr<Worker>> workers_;
  mutable Mutex mutex_;
  CondVar changed_;
  absl::Status start_error_ ABSL_GUARDED_BY(mutex_);
  bool started_ ABSL_GUARDED_BY(mutex_) = false;  // all have served once
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t restarts_ ABSL_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<SocketLoop> loop_;
};

void WorkerFleetImpl::Worker::Spawn() {
  {
    MutexLock lock(fleet_->mutex_);
    if (fleet_->stopping_) return;
  }
  const absl::Status status = TrySpawn();
  if (status.ok()) return;
  fleet_->StartFailed(status);
  RestartLater(status.ToString());
}

absl::Status WorkerFleetImpl::Worker::TrySpawn() {
  const WorkerFleetOptions& options = fleet_->options_;
  ASSIGN_OR_RETURN(WorkerDoor door, MakeWorkerDoor());
  door_ = UniqueFd(fcntl(door.trainer.get(), F_DUPFD_CLOEXEC, 0));
  std::vector<std::string> arguments = {"worker", "--door",
                                        absl::StrCat(kWorkerDoorFd), "--name",
                                        address().ToString()};
  arguments.insert(arguments.end(), options.arguments.begin(),
                   options.arguments.end());
  ASSIGN_OR_RETURN(const pid_t child,
                   SpawnWorkerProcess(options.program, std::move(arguments),
                                      door.worker.get()));
  started_ = SteadyClock().Now();
  {
    MutexLock lock(fleet_->mutex_);
    pid = child;
    serves = false;
  }
  pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  fleet_->transport_->AddWorker(address(), std::move(door.trainer));
  fleet_->loop_->Add(door_.get(), std::make_shared<Watcher>(weak_from_this(),
                                                            &Worker::OnReport));
  if (pidfd_.valid() &&
      fleet_->loop_->Add(
          pidfd_.get(),
          std::make_shared<Watcher>(weak_from_this(), &Worker::OnDeath))) {
    return absl::OkStatus();
  }
  kill(child, SIGKILL);  // its end would go unnoticed
  waitpid(child, nullptr, 0);
  CloseDoor();
  MutexLock lock(fleet_->mutex_);
  pid = -1;
  return absl::ResourceExhaustedError("the system cannot watch more processes");
}

void WorkerFleetImpl::Worker::OnReport() {
  const std::optional<absl::Status> report = ReceiveWorkerReport(door_.get());
  if (!report.has_value()) return;
  fleet_->loop_->Remove(door_.get());  // a worker sends one report
  if (report->ok()) return fleet_->WorkerServes(*this);
  if (report->code() != absl::StatusCode::kUnavailable) {
    fleet_->StartFailed(*report);
  }
}

void WorkerFleetImpl::Worker::OnDeath() {
  fleet_->loop_->Remove(pidfd_.get());
  OnReport();  // the report may have come at the same time
  int status = 0;
  waitpid(pid, &status, 0);
  pidfd_.Reset();
  CloseDoor();
  const std::string why =
      absl::StrCat(address().ToString(), " ", DescribeExit(status));
  {
    MutexLock lock(fleet_->mutex_);
    pid = -1;
    serves = false;
    fleet_->changed_.NotifyAll();
    if (fleet_->stopping_) return;
    if (!fleet_->started_ && fleet_->start_error_.ok()) {
      fleet_->start_error_ = absl::UnavailableError(why);
    }
  }
  RestartLater(why);
}

void WorkerFleetImpl::Worker::RestartLater(const std::string& why) {
  if (SteadyClock().Now() - started_ > kLongRun) {
    restart_after_ = kFirstRestart;
  }
  {
    MutexLock lock(fleet_->mutex_);
    if (fleet_->stopping_ || !fleet_->started_) return;
    ++fleet_->restarts_;
  }
  LogError(absl::StrCat(why, "; started again in ",
                        absl::FormatDuration(restart_after_)));
  fleet_->loop_->PostAfter(restart_after_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Spawn();
  });
  restart_after_ = std::min(2 * restart_after_, kLastRestart);
}

void WorkerFleetImpl::Worker::CloseDoor() {
  fleet_->transport_->RemoveWorker(address());
  if (!door_.valid()) return;
  fleet_->loop_->Remove(door_.get());
  door_.Reset();
}

void WorkerFleetImpl::Worker::Kill() const {
  if (pidfd_.valid()) {
    syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  }
}

absl::Status WorkerFleetImpl::StartAll() {
  loop_->Post([this] {
    for (const auto& worker : workers_) worker->Spawn();
  });
  const auto deadline = After(options_.start_timeout);
  MutexLock lock(mutex_);
  while (start_error_.ok() && !AllServe()) {
    if (changed_.WaitUntil(mutex_, deadline)) continue;
    return absl::DeadlineExceededError(
        absl::StrCat("sampling workers do not serve after ",
                     absl::FormatDuration(options_.start_timeout)));
  }
  started_ = start_error_.ok();
  return start_error_;
}

void WorkerFleetImpl::WaitUntilEnded(absl::Duration most) {
  const auto deadline = After(most);
  MutexLock lock(mutex_);
  while (AnyRuns() && changed_.WaitUntil(mutex_, deadline)) {
  }
}

WorkerFleetImpl::~WorkerFleetImpl() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  loop_->Post([this] {
    for (const auto& worker : workers_) worker->CloseDoor();
  });
  WaitUntilEnded(options_.stop_timeout);
  loop_->Post([this] {  // those that did not end, say because they hang
    for (const auto& worker : workers_) worker->Kill();
  });
  WaitUntilEnded(kKillTimeout);
  loop_.reset();
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerFleet>> WorkerFleet::Start(
    const WorkerFleetOptions& options, ShmTransport* transport) {
  if (access(options.program.c_str(), X_OK) != 0) {
    return absl::ErrnoToStatus(
        errno,
        absl::StrCat("the program of sampling workers, ", options.program));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<SocketLoop> loop,
                   SocketLoop::Start("worker-fleet"));
  auto fleet =
      std::make_unique<WorkerFleetImpl>(options, transport, std::move(loop));
  RETURN_IF_ERROR(fleet->StartAll());
  return fleet;
}

}  // namespace tributary
