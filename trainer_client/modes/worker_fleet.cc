#include "trainer_client/modes/worker_fleet.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "channel/shm/socket_loop.h"
#include "channel/shm/worker_report.h"
#include "common/observe/log.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

extern char** environ;

namespace tributary {
namespace {

constexpr absl::Duration kFirstRestart = absl::Milliseconds(100);
constexpr absl::Duration kLastRestart = absl::Seconds(5);
constexpr absl::Duration kLivedLong = absl::Seconds(10);
constexpr absl::Duration kKillTakes = absl::Seconds(60);  // far less
constexpr int kDoorOfWorker = 3;

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) {
    return absl::StrCat("was ended by SIG", sigabbrev_np(WTERMSIG(status)));
  }
  return absl::StrCat("ended with exit code ", WEXITSTATUS(status));
}

std::chrono::steady_clock::time_point After(absl::Duration duration) {
  return std::chrono::steady_clock::now() +
         absl::ToChronoMilliseconds(duration);
}

// posix_spawn with everything that a worker needs to be on its own.
class Spawning {
 public:
  explicit Spawning(int door) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    // What a worker prints is no output of the trainer's.
    posix_spawn_file_actions_adddup2(&actions_, 2, 1);
    posix_spawn_file_actions_adddup2(&actions_, door, kDoorOfWorker);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF |
                                               POSIX_SPAWN_SETPGROUP);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  absl::StatusOr<pid_t> Run(const std::string& program,
                            std::vector<std::string> arguments) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, program.c_str(), &actions_,
                                  &attributes_, argv.data(), environ);
    if (error == 0) return pid;
    return absl::ErrnoToStatus(error, absl::StrCat("starting ", program));
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

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

 private:
  class Worker;
  // Calls one of a worker's methods when its descriptor has something.
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

  // All of it on the loop's thread, but for what the fleet's mutex guards: the
  // system kills a worker whose starting *thread* has ended.
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

    // Of the fleet's mutex.
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
  bool AnyLives() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->pid > 0; });
  }
  void WaitForTheEnd(absl::Duration most);

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
  std::vector<std::string> arguments = {
      options.program, "worker",
      "--door",        absl::StrCat(kDoorOfWorker),
      "--name",        address().ToString()};
  arguments.insert(arguments.end(), options.arguments.begin(),
                   options.arguments.end());
  ASSIGN_OR_RETURN(
      const pid_t child,
      Spawning(door.worker.get()).Run(options.program, std::move(arguments)));
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
  kill(child, SIGKILL);  // nobody would hear of its end
  waitpid(child, nullptr, 0);
  CloseDoor();
  MutexLock lock(fleet_->mutex_);
  pid = -1;
  return absl::ResourceExhaustedError("the system watches no more processes");
}

void WorkerFleetImpl::Worker::OnReport() {
  const std::optional<absl::Status> report = ReceiveWorkerReport(door_.get());
  if (!report.has_value()) return;
  fleet_->loop_->Remove(door_.get());  // no more comes but the end
  if (report->ok()) return fleet_->WorkerServes(*this);
  if (report->code() != absl::StatusCode::kUnavailable) {
    fleet_->StartFailed(*report);
  }
}

void WorkerFleetImpl::Worker::OnDeath() {
  fleet_->loop_->Remove(pidfd_.get());
  OnReport();  // its last words, when both came at once
  int status = 0;
  waitpid(pid, &status, 0);
  pidfd_.Reset();
  CloseDoor();
  const std::string why =
      absl::StrCat(address().ToString(), " ", HowItEnded(status));
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
  if (SteadyClock().Now() - started_ > kLivedLong) {
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

void WorkerFleetImpl::WaitForTheEnd(absl::Duration most) {
  const auto deadline = After(most);
  MutexLock lock(mutex_);
  while (AnyLives() && changed_.WaitUntil(mutex_, deadline)) {
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
  WaitForTheEnd(options_.stop_timeout);
  loop_->Post([this] {  // those that did not take it, frozen perhaps
    for (const auto& worker : workers_) worker->Kill();
  });
  WaitForTheEnd(kKillTakes);
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

absl::StatusOr<std::string> FindWorkerProgram(const std::string& program) {
  if (absl::StrContains(program, '/')) return program;
  const std::string name = program.empty() ? "tributary" : program;
  std::vector<std::string> folders;
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
  if (n > 0) {
    const std::string path(self, static_cast<size_t>(n));
    folders.push_back(path.substr(0, path.rfind('/')));
  }
  if (const char* path = std::getenv("PATH")) {
    for (absl::string_view folder : absl::StrSplit(path, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  for (const std::string& folder : folders) {
    std::string path = absl::StrCat(folder, "/", name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::NotFoundError(
      absl::StrCat("the program of sampling workers, ", name,
                   ", is neither beside the running program nor in PATH; set "
                   "MpDistSamplingWorkerOptions.worker_program"));
}

}  // namespace tributary
