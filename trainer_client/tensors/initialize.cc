#include "trainer_client/tensors/initialize.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

struct WorkerGroup {
  int world_size = 1;
  int rank = 0;
  std::string name;
};

// The state of this process.
struct Process {
  Mutex mutex;
  std::optional<WorkerGroup> group ABSL_GUARDED_BY(mutex);
  bool process_group ABSL_GUARDED_BY(mutex) = false;
  bool opening ABSL_GUARDED_BY(mutex) = false;
  // The context is destroyed before the workers.
  std::unique_ptr<SamplingWorkers> workers ABSL_GUARDED_BY(mutex);
  std::unique_ptr<DistContext> context ABSL_GUARDED_BY(mutex);
};

Process& ThisProcess() {
  static Process* const process = new Process;
  return *process;
}

absl::Status CheckInitialize(const Process& process, const DistOptions& options)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(process.mutex) {
  if (options.role == DistRole::kServer) {
    return absl::InvalidArgumentError(
        "Initialize: the role of a server is that of a program of its own: "
        "start `tributary serve`, and Initialize trainers with its address");
  }
  if (process.context != nullptr || process.opening) {
    return absl::FailedPreconditionError(
        "Initialize was called before; call Finalize first, or GetContext for "
        "the context that there is");
  }
  if (process.process_group) {
    return absl::FailedPreconditionError(
        "Initialize comes after the process group: call Initialize first, so "
        "that a rank that cannot reach the servers ends before others wait "
        "for it");
  }
  return absl::OkStatus();
}

// Puts the process's place into the options.
absl::Status TakeGroup(const WorkerGroup& group, DistContextOptions* options) {
  const DistContextOptions defaults;
  if (options->rank != defaults.rank ||
      options->world_size != defaults.world_size ||
      options->group_name != defaults.group_name) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Initialize: rank ", options->rank, " of ", options->world_size,
        " in group '", options->group_name, "'; InitWorkerGroup said rank ",
        group.rank, " of ", group.world_size, " in '", group.name,
        "': give the place once"));
  }
  options->rank = group.rank;
  options->world_size = group.world_size;
  options->group_name = group.name;
  return absl::OkStatus();
}

}  // namespace

absl::Status InitWorkerGroup(int world_size, int rank,
                             const std::string& group_name) {
  if (world_size < 1 || rank < 0 || rank >= world_size || group_name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "InitWorkerGroup: rank ", rank, " of ", world_size, " in group '",
        group_name, "'; allowed: rank 0 to world_size - 1, a group's name"));
  }
  Process& process = ThisProcess();
  MutexLock lock(process.mutex);
  if (process.context != nullptr || process.opening) {
    return absl::FailedPreconditionError(
        "InitWorkerGroup comes after Initialize: call it first");
  }
  if (process.group.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "InitWorkerGroup was called before, for rank ", process.group->rank,
        " of ", process.group->world_size, "; call Finalize first"));
  }
  process.group = WorkerGroup{world_size, rank, group_name};
  return absl::OkStatus();
}

absl::Status Initialize(const DistOptions& options) {
  Process& process = ThisProcess();
  DistContextOptions context_options = options.context;
  {
    MutexLock lock(process.mutex);
    RETURN_IF_ERROR(CheckInitialize(process, options));
    if (process.group.has_value()) {
      RETURN_IF_ERROR(TakeGroup(*process.group, &context_options));
    }
    process.opening = true;
  }
  auto workers = SamplingWorkers::OpenSource(options.source);
  absl::StatusOr<std::unique_ptr<DistContext>> context = nullptr;
  if (workers.ok()) {
    context = DistContext::Open(workers->get(), context_options);
  } else {
    context = workers.status();
  }
  MutexLock lock(process.mutex);
  process.opening = false;
  RETURN_IF_ERROR(context.status());
  process.workers = *std::move(workers);
  process.context = *std::move(context);
  return absl::OkStatus();
}

absl::StatusOr<DistContext*> GetContext() {
  Process& process = ThisProcess();
  MutexLock lock(process.mutex);
  if (process.context != nullptr) return process.context.get();
  return absl::FailedPreconditionError(
      "there is no context: call Initialize first");
}

void NoteProcessGroup() {
  Process& process = ThisProcess();
  MutexLock lock(process.mutex);
  process.process_group = true;
}

absl::Status Finalize() {
  Process& process = ThisProcess();
  std::unique_ptr<SamplingWorkers> workers;
  std::unique_ptr<DistContext> context;
  {
    MutexLock lock(process.mutex);
    workers = std::move(process.workers);
    context = std::move(process.context);
    process.group.reset();
    process.process_group = false;
  }
  if (context == nullptr) {
    return absl::FailedPreconditionError(
        "Finalize: there is no context; call Initialize first");
  }
  const absl::Status closed = context->Close();
  context.reset();  // before the workers
  return closed;
}

}  // namespace tributary
