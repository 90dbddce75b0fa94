#include "cli/fleet/worker_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/shm/worker_report.h"
#include "cli/command/arguments.h"
#include "cli/fleet/end_signal.h"
#include "common/io/unique_fd.h"
#include "common/observe/log_flags.h"
#include "common/process/signal_watcher.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "partition/schema/feature_memory.h"
#include "sampler_server/server/sampling_threads.h"
#include "sampler_server/server/sampling_worker.h"

namespace tributary {
namespace {

constexpr int kTrainerGone = -1;

class WorkerCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "worker",
        "Sample for the trainer that started this process (mode mp). Not "
        "started by hand: --door is a socket that the trainer passes on.");
    app->group("");  // not in the list of commands
    app->add_option("--graph", options_.service.graph, "Graph folder")
        ->required();
    app->add_option("--door", door_, "Number of the inherited socket")
        ->required();
    app->add_option("--name", options_.name, "In messages")
        ->capture_default_str();
    app->add_option("--threads", threads_, "Sampling threads")
        ->capture_default_str();
    app->add_option("--memory-budget", memory_budget_,
                    "Bytes of batches being made")
        ->capture_default_str();
    app->add_option("--tensor-memory", tensor_memory_,
                    "Bytes of mutable rows; 0: none")
        ->capture_default_str();
    app->add_option("--feature-memory", feature_memory_,
                    "As of `tributary serve`")
        ->capture_default_str();
    AddLogFlags(*app, log_);
    return app;
  }

  absl::Status Run(SignalWatcher& signals) override {
    // Also ends a worker that is stopped when its trainer dies.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    UniqueFd door;
    RETURN_IF_ERROR(ReadOptions(&door));
    const UniqueFd report(fcntl(door.get(), F_DUPFD_CLOEXEC, 0));
    EndSignal end;
    signals.OnStop([&end](int signal) { end.Set(signal); });
    auto worker = SamplingWorker::Start(options_, std::move(door),
                                        [&end] { end.Set(kTrainerGone); });
    SendWorkerReport(report.get(), worker.status());
    RETURN_IF_ERROR(worker.status());
    end.Wait();
    worker->reset();
    signals.OnStop(nullptr);
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOptions(UniqueFd* door) {
    ASSIGN_OR_RETURN(const uint64_t fd, ParseWhole("--door", door_, 3, 65535));
    *door = UniqueFd(static_cast<int>(fd));
    if (fcntl(door->get(), F_SETFD, FD_CLOEXEC) != 0) {
      door->Release();
      return UsageError(absl::StrCat("--door ", door_,
                                     " is not open; the trainer passes it on"));
    }
    ASSIGN_OR_RETURN(const uint64_t threads,
                     ParseWhole("--threads", threads_, 1, kMaxSamplingThreads));
    options_.service.num_threads = static_cast<int>(threads);
    auto budget = ParseByteSize(memory_budget_);
    if (!budget.ok()) {
      return UsageError(absl::StrCat("--memory-budget: ",
                                     std::string(budget.status().message())));
    }
    options_.service.memory_budget = *budget;
    auto tensor_memory = ParseByteSize(tensor_memory_);
    if (!tensor_memory.ok()) {
      return UsageError(absl::StrCat(
          "--tensor-memory: ", std::string(tensor_memory.status().message())));
    }
    options_.service.tensor_memory = *tensor_memory;
    auto feature_memory = ParseFeatureMemory(feature_memory_);
    if (!feature_memory.ok()) {
      return UsageError(
          absl::StrCat("--feature-memory: ",
                       std::string(feature_memory.status().message())));
    }
    options_.service.feature_memory = *feature_memory;
    const absl::Status log = ApplyLogFlags(log_);
    return log.ok() ? log : UsageError(log.message());
  }

  SamplingWorkerOptions options_;
  std::string door_, threads_ = "1", memory_budget_ = "1GB";
  std::string tensor_memory_ = "1GB", feature_memory_ = "auto";
  LogFlags log_{.level = "warning"};
};

}  // namespace

std::unique_ptr<Command> MakeWorkerCommand() {
  return std::make_unique<WorkerCommand>();
}

}  // namespace tributary
