#include "trainer_client/torch/train/trainer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/tasks/node/node_task_options.h"
#include "trainer_client/torch/tasks/tally.h"
#include "trainer_client/torch/train/batch_rounds.h"
#include "trainer_client/torch/train/checkpointing.h"
#include "trainer_client/torch/train/exhausted_negatives.h"
#include "trainer_client/torch/train/learner.h"
#include "trainer_client/torch/train/model_evaluation.h"
#include "trainer_client/torch/train/rank_passes.h"
#include "trainer_client/torch/train/round_news.h"
#include "trainer_client/torch/train/run_labels.h"
#include "trainer_client/torch/train/run_state.h"
#include "trainer_client/torch/train/same_graph.h"
#include "trainer_client/torch/train/schedule/early_stopping.h"
#include "trainer_client/torch/train/step_times.h"

namespace tributary {
namespace {

constexpr char kOfAnotherPayload[] = "tributary/of-another-rank";

double SecondsSince(absl::Time start) {
  return absl::ToDoubleSeconds(SteadyClock().Now() - start);
}

// Returns the sum of the tallies of all ranks. Every rank must call it.
absl::StatusOr<Tally> SumOverRanks(Tally tally, ProcessGroup& group) {
  std::array<double, 5> sums{tally.loss, tally.correct, tally.labelled,
                             tally.inputs, tally.exhausted};
  RETURN_IF_ERROR(group.Sum(absl::MakeSpan(sums)));
  return Tally{sums[0], sums[1], sums[2], sums[3], sums[4]};
}

// Returns the mean over the ranks. Every rank must call it.
absl::StatusOr<StepTimes> MeanOverRanks(StepTimes times, ProcessGroup& group) {
  RETURN_IF_ERROR(group.Sum(absl::MakeSpan(times.seconds)));
  RETURN_IF_ERROR(group.Sum(absl::MakeSpan(&times.steps, 1)));
  for (double& seconds : times.seconds) seconds /= group.world();
  times.steps /= group.world();
  return times;
}

// One run of Train() on one rank.
class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const TrainLoaders& loaders,
              ProcessGroup& group, TrainObserver& observer,
              AfterTraining* after)
      : options_(options),
        loaders_(loaders),
        group_(group),
        observer_(observer),
        after_(after),
        passes_(group, observer, loaders.stop_requested,
                [this] { return Stop(); }),
        evaluation_(options, loaders, passes_) {
    if (options_.early_stopping) stopping_.emplace(StoppingOptions());
  }

  absl::StatusOr<TrainResult> Run() {
    const absl::Time start = SteadyClock().Now();
    RETURN_IF_ERROR(CheckContext());
    RETURN_IF_ERROR(CheckSameGraph(loaders_.train->schema(), group_));
    checkpointing_.emplace(options_.checkpoints, &group_, context(),
                           options_.clock);
    RETURN_IF_ERROR(checkpointing_->Find());
    RETURN_IF_ERROR(MakeLearner(context()));
    RETURN_IF_ERROR(CheckLabelled());
    RETURN_IF_ERROR(evaluation_.ReadRanking());
    if (options_.epochs > 0 && evaluation_.has(EvaluatedSplit::kValid)) {
      RETURN_IF_ERROR(learner_->ReserveSavedRows());
    }
    if (after_ != nullptr) RETURN_IF_ERROR(after_->Prepare(*learner_));
    result_.metric = NameOf(options_.metric_of_task());
    ASSIGN_OR_RETURN(std::optional<RunState> resumed, Resume());
    const uint64_t first = resumed ? resumed->epoch : 0;
    for (uint64_t epoch = first; epoch < options_.epochs; ++epoch) {
      ASSIGN_OR_RETURN(EpochReport report,
                       TrainEpoch(epoch, std::exchange(resumed, {})));
      if (IsEvaluated(epoch)) RETURN_IF_ERROR(Validate(report));
      observer_.OnEpoch(report);
      result_.epochs = epoch + 1;
      if (stopping_ && stopping_->should_stop()) break;
    }
    RETURN_IF_ERROR(KeepLastStep());
    RETURN_IF_ERROR(Test());
    result_.seconds = SecondsSince(start);
    if (after_ != nullptr) RETURN_IF_ERROR(after_->Run(*learner_));
    return result_;
  }

  absl::StatusOr<TrainPlan> Plan(uint64_t world) {
    RETURN_IF_ERROR(MakeLearner(nullptr));
    TrainPlan plan = PlanOfGraph(loaders_.train->schema());
    plan.world = world;
    const std::pair<const char*, DistLoader*> loaders[] = {
        {"train", loaders_.train},
        {"valid", loaders_.valid},
        {"valid_neg", loaders_.valid_negatives},
        {"test", loaders_.test},
        {"test_neg", loaders_.test_negatives}};
    for (const auto& [name, loader] : loaders) {
      if (loader == nullptr) continue;
      ASSIGN_OR_RETURN(plan.passes.emplace_back(),
                       PlanPass(name, loader, world));
    }
    plan.parameters = learner_->num_parameters();
    plan.parameter_bytes = learner_->parameter_bytes();
    plan.optimizer_bytes = learner_->optimizer_bytes();
    plan.row_bytes = learner_->row_bytes();
    plan.checkpoint_bytes = plan.parameter_bytes + plan.optimizer_bytes;
    if (loaders_.valid != nullptr)
      plan.checkpoint_bytes += plan.parameter_bytes;
    return plan;
  }

 private:
  EarlyStoppingOptions StoppingOptions() const {
    EarlyStoppingOptions stopping = *options_.early_stopping;
    stopping.mode = IsScore(options_.metric_of_task()) ? MetricMode::kMax
                                                       : MetricMode::kMin;
    return stopping;
  }

  // Writes a checkpoint of the last step, and returns the run's end.
  absl::Status Stop() {
    if (last_step_) RETURN_IF_ERROR(KeepLastStep());
    return checkpointing_->Stopped();
  }
  absl::Status KeepLastStep() {
    if (!last_step_) return absl::OkStatus();
    return checkpointing_->Keep(step_, *learner_, [&] { return *last_step_; });
  }

  // The servers that hold the run's rows; null: it has none.
  DistContext* context() const { return loaders_.context; }
  absl::Status CheckContext() const {
    if (!options_.sparse.enabled || loaders_.context != nullptr) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "sparse_embedding without servers that hold rows; allowed: with "
        "TrainLoaders::context");
  }

  // `context`: where rows are; null: the learner is for a plan, or has none.
  absl::Status MakeLearner(DistContext* context) {
    ASSIGN_OR_RETURN(const TaskOptions task, Task());
    ASSIGN_OR_RETURN(learner_,
                     Learner::Create(options_, loaders_.train->schema(), task,
                                     &group_, context));
    return options_.load_model.empty()
               ? absl::OkStatus()
               : learner_->LoadModel(options_.load_model);
  }

  absl::StatusOr<TaskOptions> Task() {
    if (options_.predicts_links()) {
      auto task = std::get<LinkTaskOptions>(options_.task);
      task.channels = options_.model.hidden_channels;
      task.dropout = options_.model.dropout;
      return task;
    }
    labels_.emplace(
        options_, loaders_.train->schema(),
        loaders_.labels != nullptr ? loaders_.labels : loaders_.train, passes_);
    ASSIGN_OR_RETURN(const NodeTaskOptions task, labels_->Task());
    evaluation_.set_num_classes(task.num_classes);
    return task;
  }

  // Refuses a run that would learn nothing, and notes splits that would measure
  // nothing. Then the loader of labels has been read.
  absl::Status CheckLabelled() {
    if (options_.needs_labels() && !options_.counts_classes()) {
      RETURN_IF_ERROR(labels_->CheckAny());
    }
    if (loaders_.release_labels) loaders_.release_labels();
    return labels_ ? evaluation_.NoteUnlabelledSplits(*labels_)
                   : absl::OkStatus();
  }

  absl::StatusOr<std::optional<RunState>> Resume() {
    ASSIGN_OR_RETURN(std::optional<RunState> state,
                     checkpointing_->Resume(learner_.get()));
    if (!state) return std::nullopt;
    if (state->epoch >= options_.epochs) {
      return absl::InvalidArgumentError(
          absl::StrCat("the checkpoint is of epoch ", state->epoch + 1,
                       "; epochs is ", options_.epochs, ", allowed are more"));
    }
    step_ = state->step;
    observer_.OnResume(checkpointing_->resumed_from(), step_);
    result_.best_valid = state->best_valid;
    result_.best_epoch = state->best_epoch;
    if (stopping_) stopping_.emplace(StoppingOptions(), state->stopping);
    return state;
  }

  // Begins the epoch, or goes on in it where `resumed` is.
  absl::Status BeginEpoch(uint64_t epoch,
                          const std::optional<RunState>& resumed) {
    return resumed ? loaders_.train->Resume(resumed->cursor)
                   : loaders_.train->StartEpoch(epoch);
  }

  absl::StatusOr<EpochReport> TrainEpoch(uint64_t epoch,
                                         std::optional<RunState> resumed) {
    RETURN_IF_ERROR(passes_.Begin(BeginEpoch(epoch, resumed)));
    const absl::Time start = SteadyClock().Now();
    const LoaderStats before = loaders_.train->stats();
    const BatchRounds rounds(loaders_.train, group_.rank(), group_.world());
    Tally tally;
    if (resumed) tally = resumed->TallyOf(group_.rank(), group_.world());
    Barrier barrier{.epoch = epoch, .tally = tally};
    StepTimer timer(*options_.clock,
                    [this](StepPhase phase, absl::Duration time) {
                      observer_.OnPhase(phase, time);
                    });
    RETURN_IF_ERROR(passes_.ForEachRound(
        loaders_.train, "train", epoch,
        [&](uint64_t round, const BatchLease* lease) -> absl::Status {
          const RoundPlace place = PlaceOf(rounds, epoch, round);
          RoundNews all;
          ASSIGN_OR_RETURN(const RoundResult of_round,
                           TakeRound(lease, place, timer, &all));
          if (!of_round.not_finite.empty()) {
            return NotFinite(of_round.not_finite, epoch, lease);
          }
          if (all.not_finite) return NotFiniteElsewhere();
          tally.Add(of_round.tally);
          if (lease != nullptr) {
            tally.exhausted +=
                static_cast<double>(ExhaustedNegatives(lease->view()));
          }
          if (place.ends_step && all.allows_step()) {
            observer_.OnStep(++step_);
            barrier = {epoch, round + 1, tally};
            RETURN_IF_ERROR(checkpointing_->AfterStep(
                step_, all, *learner_, [&] { return StateAt(barrier); }));
          }
          return all.stops ? StopAt(barrier) : absl::OkStatus();
        },
        &timer, options_.sparse.enabled ? &next_ : nullptr));
    RETURN_IF_ERROR(NoteLastStep(barrier));
    ASSIGN_OR_RETURN(EpochReport report,
                     MakeReport(epoch, tally, before, SecondsSince(start)));
    ASSIGN_OR_RETURN(report.step, MeanOverRanks(timer.times(), group_));
    return report;
  }

  // Takes a round, at whose end the ranks tell each other their news: those of
  // all are `all`.
  absl::StatusOr<RoundResult> TakeRound(const BatchLease* lease,
                                        const RoundPlace& place,
                                        StepTimer& timer, RoundNews* all) {
    return learner_->Round(lease, place, timer, next_ ? &*next_ : nullptr,
                           [&](const RoundResult& own) -> absl::StatusOr<bool> {
                             RoundNews news = checkpointing_->News();
                             news.not_finite = !own.not_finite.empty();
                             news.stops = passes_.stop_requested();
                             news.gives_up = news.stops && lease == nullptr;
                             ASSIGN_OR_RETURN(*all, TellRanks(news, group_));
                             return all->allows_step();
                           });
  }

  // A step's barrier within an epoch, on this rank.
  struct Barrier {
    uint64_t epoch = 0;
    uint64_t rounds = 0;  // that were taken in it
    Tally tally;
  };

  // Ends the run at the barrier, after the last step. Rounds since then are
  // given up.
  absl::Status StopAt(const Barrier& barrier) {
    RETURN_IF_ERROR(NoteLastStep(barrier));
    return Stop();
  }
  absl::Status NoteLastStep(const Barrier& barrier) {
    if (!checkpointing_->enabled()) return absl::OkStatus();
    ASSIGN_OR_RETURN(last_step_, StateAt(barrier));
    return absl::OkStatus();
  }

  static absl::Status NotFiniteElsewhere() {
    absl::Status status = absl::OutOfRangeError(
        "the loss or a gradient of another rank is not finite; no step was "
        "taken");
    status.SetPayload(kOfAnotherPayload, absl::Cord());
    return status;
  }

  // `lease`: this rank's batch of the round, or null.
  absl::Status NotFinite(const std::string& what, uint64_t epoch,
                         const BatchLease* lease) const {
    std::string text = absl::StrCat(
        what,
        lease == nullptr ? " in a round without a batch"
                         : absl::StrCat(" with batch ", lease->index()),
        " of epoch ", epoch + 1, " on rank ", group_.rank(), " of ",
        group_.world(),
        "; no step was taken, and earlier checkpoints can be used");
    if (lease != nullptr && loaders_.sample_again) {
      const std::string again = loaders_.sample_again(epoch, lease->index());
      if (!again.empty()) {
        absl::StrAppend(&text, "\nthe same batch again: ", again);
      }
    }
    return absl::OutOfRangeError(text);
  }

  RoundPlace PlaceOf(const BatchRounds& rounds, uint64_t epoch,
                     uint64_t round) const {
    const StepRounds step = rounds.StepOf(round, options_.accumulate);
    return {.epoch = epoch,
            .step_inputs = rounds.Inputs(step),
            .begins_step = round == step.first,
            .ends_step = round + 1 == step.end,
            .learning_rate =
                options_.schedule.At(options_.learning_rate, step_, epoch),
            .round_in_step = round - step.first,
            .sparse_learning_rate = options_.schedule.At(
                options_.sparse.learning_rate, step_, epoch)};
  }

  // Returns the state of the run at its last barrier. Every rank must call it.
  absl::StatusOr<RunState> StateAt(const Barrier& barrier) {
    const Tally& own = barrier.tally;
    ASSIGN_OR_RETURN(const std::vector<double> sums,
                     group_.Gather({own.loss, own.correct, own.labelled,
                                    own.inputs, own.exhausted}));
    RunState state{.step = step_,
                   .epoch = barrier.epoch,
                   .cursor = loaders_.train->CursorAfter(barrier.rounds)};
    for (size_t i = 0; i < sums.size(); i += 5) {
      state.tallies.push_back(
          {sums[i], sums[i + 1], sums[i + 2], sums[i + 3], sums[i + 4]});
    }
    state.best_valid = result_.best_valid;
    state.best_epoch = result_.best_epoch;
    state.has_best_parameters = learner_->has_saved_parameters();
    if (stopping_) state.stopping = stopping_->state();
    return state;
  }

  absl::StatusOr<EpochReport> MakeReport(uint64_t epoch, const Tally& own,
                                         const LoaderStats& before,
                                         double seconds) {
    ASSIGN_OR_RETURN(const Tally all, SumOverRanks(own, group_));
    const LoaderStats after = loaders_.train->stats();
    std::array<double, 6> sums{
        static_cast<double>(after.bytes - before.bytes),
        absl::ToDoubleSeconds(after.waited - before.waited),
        seconds,
        static_cast<double>(after.left_out - before.left_out),
        static_cast<double>(after.compact - before.compact),
        static_cast<double>(after.wire_bytes() - before.wire_bytes())};
    RETURN_IF_ERROR(group_.Sum(absl::MakeSpan(sums)));
    EpochReport report{.epoch = epoch};
    report.metric = result_.metric;
    report.loss = all.MeanLoss();
    if (options_.classifies_nodes()) {
      report.train_accuracy = all.Accuracy();
    }
    report.inputs = static_cast<uint64_t>(all.inputs);
    report.exhausted = static_cast<uint64_t>(all.exhausted);
    report.bytes = static_cast<uint64_t>(sums[0]);
    report.held_bytes = static_cast<uint64_t>(sums[3]);
    report.compact_bytes = static_cast<uint64_t>(sums[4]);
    report.wire_bytes = static_cast<uint64_t>(sums[5]);
    report.seconds = sums[2] / group_.world();
    report.wait_share = sums[2] > 0 ? std::min(1.0, sums[1] / sums[2]) : 0;
    return report;
  }

  bool IsEvaluated(uint64_t epoch) const {
    return evaluation_.has(EvaluatedSplit::kValid) &&
           ((epoch + 1) % options_.eval_every == 0 ||
            epoch + 1 == options_.epochs);
  }

  bool IsBetter(double metric) const {
    if (!result_.best_valid) return true;
    return IsScore(options_.metric_of_task()) ? metric > *result_.best_valid
                                              : metric < *result_.best_valid;
  }

  absl::Status Validate(EpochReport& report) {
    ASSIGN_OR_RETURN(
        report.valid,
        evaluation_.Measure(EvaluatedSplit::kValid, *learner_, report.epoch));
    report.exhausted_in_valid = evaluation_.exhausted();
    if (!report.valid) return absl::OkStatus();
    if (stopping_) stopping_->Update(*report.valid);
    if (IsBetter(*report.valid)) {
      result_.best_valid = report.valid;
      result_.best_epoch = report.epoch;
      RETURN_IF_ERROR(learner_->SaveParameters());
    }
    return absl::OkStatus();
  }

  absl::Status Test() {
    if (!result_.best_valid && result_.epochs > 0) {
      result_.best_epoch = result_.epochs - 1;
    }
    last_step_.reset();  // the parameters become others
    RETURN_IF_ERROR(learner_->RestoreParameters());
    if (!options_.save_model.empty() && group_.rank() == 0) {
      RETURN_IF_ERROR(learner_->ExportModel(options_.save_model));
    }
    return evaluation_.MeasureTest(*learner_, &result_);
  }

  const TrainOptions& options_;
  const TrainLoaders& loaders_;
  ProcessGroup& group_;
  TrainObserver& observer_;
  AfterTraining* const after_;
  std::unique_ptr<Learner> learner_;
  RankPasses passes_;
  ModelEvaluation evaluation_;
  std::optional<RunLabels> labels_;  // of tasks on nodes
  std::optional<EarlyStopping> stopping_;
  std::optional<Checkpointing> checkpointing_;
  std::optional<BatchLease> next_;  // this rank's batch of the next round
  uint64_t step_ = 0;               // optimizer steps taken
  // The state at the end of the last epoch's training, while the parameters are
  // those of then, if checkpoints are kept.
  std::optional<RunState> last_step_;
  TrainResult result_;
};

}  // namespace

bool OfAnotherRank(const absl::Status& status) {
  return status.GetPayload(kOfAnotherPayload).has_value();
}

absl::StatusOr<TrainPlan> PlanTraining(const TrainOptions& options,
                                       const TrainLoaders& loaders,
                                       ProcessGroup& group,
                                       TrainObserver& observer,
                                       uint64_t world) {
  RETURN_IF_ERROR(options.Validate());
  return TrainingRun(options, loaders, group, observer, nullptr).Plan(world);
}

absl::StatusOr<TrainResult> Train(const TrainOptions& options,
                                  const TrainLoaders& loaders,
                                  ProcessGroup& group, TrainObserver& observer,
                                  AfterTraining* after) {
  RETURN_IF_ERROR(options.Validate());
  return TrainingRun(options, loaders, group, observer, after).Run();
}

}  // namespace tributary
