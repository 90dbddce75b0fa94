#include "trainer_client/torch/command/train_command.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "channel/http/metrics_server.h"
#include "common/observe/log.h"
#include "common/observe/log_format.h"
#include "common/process/freed_memory.h"
#include "common/process/resource_errors.h"
#include "common/process/signal_watcher.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"
#include "common/text/version.h"
#include "trainer_client/modes/wait_line.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/torch/command/plan_text.h"
#include "trainer_client/torch/command/run_failure.h"
#include "trainer_client/torch/command/run_identity.h"
#include "trainer_client/torch/command/train_arguments.h"
#include "trainer_client/torch/command/train_loaders.h"
#include "trainer_client/torch/command/train_output.h"
#include "trainer_client/torch/ddp/attempt_state.h"
#include "trainer_client/torch/ddp/heartbeat.h"
#include "trainer_client/torch/ddp/launch_choice.h"
#include "trainer_client/torch/ddp/peer_loss.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/ddp/rank_environment.h"
#include "trainer_client/torch/ddp/rank_launcher.h"
#include "trainer_client/torch/inference/loader_slot.h"
#include "trainer_client/torch/inference/predictor.h"
#include "trainer_client/torch/observe/rank_address.h"
#include "trainer_client/torch/observe/train_metrics.h"
#include "trainer_client/torch/restart/resume_after_restart.h"
#include "trainer_client/torch/train/checkpointing.h"
#include "trainer_client/torch/train/train_device.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {
namespace {

constexpr int kExitUsage = 2;
// How long a rank that has lost the others waits for its launcher to see their
// end first.
constexpr absl::Duration kCauseTimeout = absl::Seconds(5);

const char* Environment(const char* name) { return std::getenv(name); }

void PrintError(const std::string& who, const absl::Status& status) {
  PrintMessage(
      LogLevel::kError, "tributary-train",
      absl::StrCat(
          who, status.ToString(absl::StatusToStringMode::kWithNoExtraData)));
}

// The observer of ranks other than 0, whose reports are the same.
class IgnoreReports final : public TrainObserver {
 public:
  void OnRound(std::string_view, uint64_t, uint64_t, uint64_t) override {}
  void OnEpoch(const EpochReport&) override {}
  void OnResume(const std::string&, uint64_t) override {}
};

// Passes reports on, and counts each round as progress of the rank.
class BeatAtRounds final : public TrainObserver {
 public:
  BeatAtRounds(TrainObserver* reports, Heartbeat* heartbeat, RunStage* stage)
      : reports_(reports), heartbeat_(heartbeat), stage_(stage) {}

  void OnRound(std::string_view phase, uint64_t epoch, uint64_t round,
               uint64_t rounds) override {
    heartbeat_->Progress();
    stage_->training |= phase == "train";
    reports_->OnRound(phase, epoch, round, rounds);
  }
  void OnEpoch(const EpochReport& report) override {
    reports_->OnEpoch(report);
  }
  void OnPrediction(const PredictionReport& report) override {
    reports_->OnPrediction(report);
  }
  void OnNote(const std::string& note) override { reports_->OnNote(note); }
  void OnResume(const std::string& path, uint64_t step) override {
    reports_->OnResume(path, step);
  }

 private:
  TrainObserver* const reports_;
  Heartbeat* const heartbeat_;
  RunStage* const stage_;
};

// Longer than the wait for a batch: a rank may wait for another that waits for
// one.
absl::Duration GroupTimeout(const TrainArguments& a) {
  return a.source.worker.rpc_timeout + absl::Seconds(30);
}

// Longer than that: a rank that waits for another is an error first.
absl::Duration ProgressTimeout(const TrainArguments& a) {
  return a.source.worker.rpc_timeout + absl::Seconds(60);
}

// One rank of the job in this process.
class RankRun {
 public:
  // Writes to `stage` how far it has come.
  RankRun(const TrainArguments& arguments, const RankEnvironment& rank,
          Heartbeat* heartbeat, RunStage* stage)
      : arguments_(arguments),
        options_(arguments.train),
        rank_(rank),
        heartbeat_(heartbeat),
        stage_(stage) {
    options_.checkpoints.attempt = rank.attempt;
  }

  absl::Status Run(const OpenBatchSource& open, const std::string& command,
                   SignalWatcher& watcher) {
    RETURN_IF_ERROR(ServeMetrics());
    RETURN_IF_ERROR(OpenLog(command));
    ASSIGN_OR_RETURN(const std::unique_ptr<ProcessGroup> group,
                     ProcessGroup::Connect(rank_, GroupTimeout(arguments_)));
    const absl::Status status = RunInGroup(open, watcher, *group);
    if (EndedOnRequest(status)) {
      told_ = rank_.rank != 0;
    } else if (!status.ok()) {
      told_ = !group->ReportsFirst(status.ToString());
    }
    return status;
  }

  // Whether another rank has told the error of Run().
  bool told() const { return told_; }

  // Prints what Run() would do with `world` ranks. Requires the only rank.
  absl::Status Plan(const OpenBatchSource& open, uint64_t world,
                    SignalWatcher& watcher) {
    ASSIGN_OR_RETURN(const std::unique_ptr<ProcessGroup> group,
                     ProcessGroup::Connect(rank_, GroupTimeout(arguments_)));
    RETURN_IF_ERROR(OpenTrainDevice(options_, group->local_rank()));
    ASSIGN_OR_RETURN(const std::unique_ptr<BatchSource> source,
                     open(SourceOfRank()));
    return RunLoaders(*source, watcher,
                      [&](OwnedTrainLoaders& loaders, LoaderSlot&) {
                        return PrintPlan(loaders.get(), *group, world);
                      });
  }

 private:
  absl::Status RunInGroup(const OpenBatchSource& open, SignalWatcher& watcher,
                          ProcessGroup& group) {
    CheckpointOptions& checkpoints = options_.checkpoints;
    ASSIGN_OR_RETURN(checkpoints.resume,
                     ResumeAfterRestart(rank_.attempt, checkpoints.folder,
                                        checkpoints.resume, group));
    RETURN_IF_ERROR(OpenTrainDevice(options_, group.local_rank()));
    ASSIGN_OR_RETURN(const std::unique_ptr<BatchSource> source,
                     open(SourceOfRank()));
    stop_requested_ = [&watcher] { return watcher.stopped(); };
    return RunLoaders(*source, watcher,
                      [&](OwnedTrainLoaders& loaders,
                          LoaderSlot& of_prediction) -> absl::Status {
                        ASSIGN_OR_RETURN(context_, OpenContext(*source, group));
                        const absl::Status status =
                            Train(loaders, of_prediction, group);
                        if (status.ok()) EndRows();
                        context_.reset();  // before the loaders and the source
                        return status;
                      });
  }

  // Opens the servers that hold rows; null if the run needs none.
  absl::StatusOr<std::unique_ptr<DistContext>> OpenContext(
      BatchSource& source, ProcessGroup& group) {
    if (!options_.sparse.enabled) return nullptr;
    stage_->rows = true;
    // A later start of the job must have a larger number.
    ASSIGN_OR_RETURN(
        const std::string attempt,
        group.BroadcastText(absl::StrCat(absl::ToUnixMicros(absl::Now()))));
    const RemoteDistSamplingWorkerOptions& worker = arguments_.source.worker;
    return source.OpenContext({.rank = rank_.rank,
                               .world_size = rank_.world,
                               .group_name = worker.worker_key,
                               .attempt = std::stoull(attempt),
                               .timeout = worker.rpc_timeout});
  }

  // The run is complete, so rows that stay on servers are only a warning.
  void EndRows() {
    if (context_ == nullptr) return;
    const absl::Status ended = context_->Close();
    if (!ended.ok()) Log(LogLevel::kWarning, ended.ToString());
  }

  absl::Status RunLoaders(
      BatchSource& source, SignalWatcher& watcher,
      absl::FunctionRef<absl::Status(OwnedTrainLoaders&, LoaderSlot&)> run) {
    {
      OwnedTrainLoaders loaders;
      LoaderSlot of_prediction(&source);
      RETURN_IF_ERROR(loaders.Open(arguments_, rank_, source));
      if (auto* links = std::get_if<LinkTaskOptions>(&options_.task)) {
        links->edge_types = loaders.link_types();
      }
      watcher.OnStop([&](int) {
        loaders.Cancel();
        of_prediction.Cancel();
      });
      const absl::Status status = run(loaders, of_prediction);
      stage_->interrupted = watcher.stopped();
      // The loaders are destroyed before the watcher. A signal that comes now,
      // perhaps since this rank's end has ended others, does not change how it
      // ended.
      watcher.OnStop([](int) {});
      RETURN_IF_ERROR(status);
    }
    // Only a warning: servers that are not told just go on serving.
    const absl::Status told = source.Shutdown();
    if (!told.ok()) Log(LogLevel::kWarning, told.ToString());
    return absl::OkStatus();
  }

  absl::Status PrintPlan(const TrainLoaders& loaders, ProcessGroup& group,
                         uint64_t world) {
    TrainOutput output(1, arguments_.progress, nullptr);
    BeatAtRounds observer(&output, heartbeat_, stage_);
    const absl::StatusOr<TrainPlan> plan =
        PlanTraining(options_, loaders, group, observer, world);
    output.ClearProgress();
    RETURN_IF_ERROR(plan.status());
    const RemoteDistSamplingWorkerOptions& worker = arguments_.source.worker;
    const std::string text = PlanText(
        *plan,
        {.model = options_.make_model ? "own model" : options_.model.model,
         .columns = CollectedColumnsText(arguments_.loader.collect),
         .batch_size = arguments_.loader.batch_size,
         .epochs = options_.epochs,
         .buffer_size = worker.buffer_size,
         .prefetch_size = static_cast<uint64_t>(worker.prefetch_size)});
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
      return absl::UnavailableError("cannot write to stdout");
    }
    return absl::OkStatus();
  }

  // Returns the rank's source: each rank has its own servers of a fleet.
  BatchSourceOptions SourceOfRank() const {
    BatchSourceOptions source = arguments_.source;
    source.worker.num_clients = rank_.world;
    source.worker.client_rank = rank_.rank;
    // One rank speaks for all.
    if (rank_.rank == 0) source.on_wait = PrintWaits("tributary-train");
    return source;
  }
  // Serves the rank's own figures, if --http is given.
  absl::Status ServeMetrics() {
    if (arguments_.http.empty()) return absl::OkStatus();
    MetricsServerOptions options;
    ASSIGN_OR_RETURN(options.listen,
                     RankHttpAddress(arguments_.http, rank_.local_rank));
    metrics_ = std::make_unique<TrainMetrics>(kVersion);
    options.metrics = [this] { return metrics_->Exposition(); };
    options.health = [] { return absl::OkStatus(); };
    ASSIGN_OR_RETURN(http_, MetricsServer::Start(std::move(options)));
    PrintMessage(LogLevel::kInfo, "tributary-train",
                 absl::StrCat("note: rank ", rank_.rank, " serves http://",
                              http_->address().ToString(), "/metrics"));
    return absl::OkStatus();
  }
  absl::Status OpenLog(const std::string& command) {
    if (rank_.rank != 0 || arguments_.log.empty()) return absl::OkStatus();
    const bool goes_on =
        rank_.attempt > 0 || options_.checkpoints.resume == kResumeAuto;
    ASSIGN_OR_RETURN(log_, TrainLog::Create(arguments_.log, goes_on));
    log_->Start(command, rank_.world);
    return absl::OkStatus();
  }

  // Trains, and predicts where the arguments say so.
  absl::StatusOr<TrainResult> Result(OwnedTrainLoaders& owned,
                                     LoaderSlot& of_prediction,
                                     ProcessGroup& group,
                                     TrainObserver& reports) const {
    BeatAtRounds beats(&reports, heartbeat_, stage_);
    TrainLoaders loaders = owned.get();
    std::optional<CountReports> counts;
    if (metrics_ != nullptr) {
      counts.emplace(&beats, metrics_.get(),
                     [train = loaders.train] { return train->stats(); });
    }
    TrainObserver& observer =
        counts ? *counts : static_cast<TrainObserver&>(beats);
    loaders.context = context_.get();
    loaders.stop_requested = stop_requested_;
    loaders.ranking.stop_requested = stop_requested_;
    if (!arguments_.predict) {
      return tributary::Train(options_, loaders, group, observer);
    }
    PredictOptions predict = *arguments_.predict;
    predict.loader.rank = static_cast<uint32_t>(rank_.rank);
    predict.loader.world = static_cast<uint32_t>(rank_.world);
    Predictor predictor(predict, options_, &of_prediction, &group, &observer);
    return tributary::Train(options_, loaders, group, observer, &predictor);
  }

  absl::Status Train(OwnedTrainLoaders& loaders, LoaderSlot& of_prediction,
                     ProcessGroup& group) {
    if (rank_.rank != 0) {
      IgnoreReports ignore;
      return Result(loaders, of_prediction, group, ignore).status();
    }
    std::optional<TrainCharts> charts;
    if (!arguments_.tensorboard.empty()) {
      charts.emplace(arguments_.tensorboard,
                     !options_.checkpoints.resume.empty());
    }
    TrainOutput output(options_.epochs, arguments_.progress, log_.get(),
                       charts ? &*charts : nullptr);
    const absl::StatusOr<TrainResult> result =
        Result(loaders, of_prediction, group, output);
    output.ClearProgress();
    RETURN_IF_ERROR(result.status());
    return output.Finish(*result);
  }

  const TrainArguments& arguments_;
  TrainOptions options_;  // with what is known of the attempt
  const RankEnvironment& rank_;
  Heartbeat* const heartbeat_;
  RunStage* const stage_;
  std::unique_ptr<TrainMetrics> metrics_;  // null: without --http
  std::unique_ptr<MetricsServer> http_;    // of them; destroyed first
  std::unique_ptr<TrainLog> log_;
  std::unique_ptr<DistContext> context_;  // null: no rows on servers
  std::function<bool()> stop_requested_;
  bool told_ = false;
};

// Returns the ranks of the job that the command line describes.
uint64_t PlannedWorld(const TrainArguments& arguments,
                      const RankEnvironment& rank) {
  const auto started = uint64_t{1} * static_cast<uint64_t>(arguments.nproc) *
                       static_cast<uint64_t>(arguments.node.nnodes);
  return started > 1 ? started : static_cast<uint64_t>(rank.world);
}

absl::Status RunOrPlan(const TrainArguments& arguments,
                       const RankEnvironment& rank, Heartbeat* heartbeat,
                       const std::string& command, const OpenBatchSource& open,
                       SignalWatcher& watcher, RunStage* stage, bool* told) {
  if (!arguments.dry_run) {
    RankRun run(arguments, rank, heartbeat, stage);
    const absl::Status status = run.Run(open, command, watcher);
    *told = run.told();
    return status;
  }
  if (rank.rank != 0) return absl::OkStatus();
  const RankEnvironment alone;
  return RankRun(arguments, alone, heartbeat, stage)
      .Plan(open, PlannedWorld(arguments, rank), watcher);
}

// Waits a moment for a launcher to end this rank: it has seen the end of the
// one that caused this one's. Returns whether it has.
bool WaitForCause(SignalWatcher& watcher) {
  Mutex mutex;
  CondVar changed;
  bool asked = false;
  watcher.OnStop([&](int) {
    MutexLock lock(mutex);
    asked = true;
    changed.NotifyAll();
  });
  bool caused = false;
  {
    MutexLock lock(mutex);
    const auto deadline = std::chrono::steady_clock::now() +
                          absl::ToChronoMilliseconds(kCauseTimeout);
    while (!asked && changed.WaitUntil(mutex, deadline)) {
    }
    caused = asked;
  }
  watcher.OnStop([](int) {});
  return caused;
}

// Prints why a rank has ended, once for all ranks that have the same cause.
void PrintEnd(const absl::Status& status, const RankEnvironment& rank,
              bool interrupted) {
  if (interrupted) {
    if (rank.rank != 0) return;
    PrintMessage(
        LogLevel::kError, "tributary-train",
        EndedOnRequest(status) ? std::string(status.message()) : "interrupted");
    return;
  }
  PrintError(rank.world > 1 ? absl::StrCat("rank ", rank.rank, ": ") : "",
             status);
}

int RunRank(const TrainArguments& arguments, const std::string& command,
            const OpenBatchSource& open) {
  EndWithLauncher();
  KeepFreedMemory();  // each step allocates the same tensors
  absl::StatusOr<RankEnvironment> rank =
      RankEnvironment::FromVariables(Environment);
  // A launcher ends its ranks itself.
  SignalWatcher watcher({.exit_code = kInterruptedExitCode,
                         .second_ends = !rank.ok() || rank->world == 1});
  if (!rank.ok()) {
    PrintError("", rank.status());
    return kPermanentExitCode;
  }
  rank->run_id = arguments.run_id;
  const absl::StatusOr<std::unique_ptr<Heartbeat>> heartbeat =
      Heartbeat::Start(rank->local_rank, Environment);
  if (!heartbeat.ok()) {
    PrintError("", heartbeat.status());
    return 1;
  }
  RunStage stage;
  bool told = false;
  const absl::Status status = CatchResourceErrors([&] {
    return RunOrPlan(arguments, *rank, heartbeat->get(), command, open, watcher,
                     &stage, &told);
  });
  if (status.ok()) return 0;
  const int code = ExitCodeOfFailure(
      status,
      {.on_request = EndedOnRequest(status), .lost_peers = LostPeers(status)},
      stage);
  if (code == kPeersLostExitCode) told |= WaitForCause(watcher);
  if (!told && !OfAnotherRank(status)) {
    PrintEnd(status, *rank, code == kInterruptedExitCode);
  }
  // How it ends is decided: a launcher that ends it now, since another rank has
  // noticed, must see that.
  if (rank->world > 1) std::signal(SIGTERM, SIG_IGN);
  return code;
}

int LaunchRanks(const TrainArguments& arguments,
                std::vector<std::string> words) {
  std::error_code error;
  words[0] = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) words[0] = "/proc/self/exe";
  const absl::StatusOr<int> code =
      RunRanks({.num_ranks = arguments.nproc,
                .argv = std::move(words),
                .node = arguments.node,
                .run_id = arguments.run_id,
                .max_restarts = arguments.max_restarts,
                .graces = {.asked = arguments.grace_period},
                .limits = {.progress = ProgressTimeout(arguments)},
                .replace_timeout = arguments.replace_timeout});
  if (code.ok()) return *code;
  PrintError("", code.status());
  return 1;
}

}  // namespace

int RunTrainCommand(int argc, char** argv, const OpenBatchSource& open,
                    ModelFactory make_model) {
  const ParsedTrainArguments parsed = ParseTrainArguments(argc, argv);
  if (!parsed.arguments) return parsed.exit_code;
  const std::vector<std::string> words(argv, argv + argc);
  TrainArguments arguments = *parsed.arguments;
  const absl::StatusOr<bool> launches =
      StartsRanks({.nproc = parsed.arguments->nproc,
                   .nnodes = parsed.arguments->node.nnodes,
                   .max_restarts = parsed.arguments->max_restarts},
                  Environment);
  if (!launches.ok()) {
    PrintMessage(LogLevel::kError, "tributary-train",
                 std::string(launches.status().message()));
    return kExitUsage;
  }
  const absl::StatusOr<std::string> run_id =
      RunIdOf(arguments.run_id, words, Environment);
  if (!run_id.ok()) {
    PrintMessage(LogLevel::kError, "tributary-train",
                 std::string(run_id.status().message()));
    return kExitUsage;
  }
  arguments.run_id = *run_id;
  if (*launches && !arguments.dry_run) return LaunchRanks(arguments, words);
  const std::string command = absl::StrJoin(words, " ");
  arguments.train.checkpoints.command_line = command;
  arguments.train.make_model = std::move(make_model);
  return RunRank(arguments, command, open);
}

}  // namespace tributary
