// Measures a run's model on its splits.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_MODEL_EVALUATION_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_MODEL_EVALUATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer_client/torch/tasks/evaluation.h"
#include "trainer_client/torch/train/learner.h"
#include "trainer_client/torch/train/link_ranking.h"
#include "trainer_client/torch/train/rank_passes.h"
#include "trainer_client/torch/train/run_labels.h"
#include "trainer_client/torch/train/train_options.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {

// A split that a run evaluates.
enum class EvaluatedSplit { kValid, kTest };

// Evaluates on epoch 0 of the splits' loaders each time: the same
// neighbourhoods, so that models are comparable. Every rank makes the same
// calls.
class ModelEvaluation {
 public:
  // All outlive it.
  ModelEvaluation(const TrainOptions& options, const TrainLoaders& loaders,
                  RankPasses& passes)
      : options_(options), loaders_(loaders), passes_(passes) {}

  // Reads what a metric that ranks among all nodes needs, if it does.
  absl::Status ReadRanking();
  // Notes splits without any label now, since their first evaluation may be
  // hours away; it would find nothing to measure, and is left out.
  absl::Status NoteUnlabelledSplits(RunLabels& labels);
  void set_num_classes(int64_t classes) { num_classes_ = classes; }

  bool has(EvaluatedSplit split) const;
  // Returns the metric; none where the split's labels leave it undefined, which
  // is noted once. `epoch`: what the observer is told.
  absl::StatusOr<std::optional<double>> Measure(EvaluatedSplit split,
                                                Learner& learner,
                                                uint64_t epoch);
  // Measures the split test into `result`, if there is one.
  absl::Status MeasureTest(Learner& learner, TrainResult* result);
  // The negatives of the last Measure() that may be edges.
  uint64_t exhausted() const { return exhausted_; }

 private:
  bool is_valid(EvaluatedSplit split) const {
    return split == EvaluatedSplit::kValid;
  }
  // Measures a split by its loader.
  absl::StatusOr<std::optional<double>> Evaluate(EvaluatedSplit split,
                                                 Learner& learner,
                                                 uint64_t epoch);
  absl::StatusOr<PredictionRows> Predict(DistLoader* loader,
                                         EvaluatedSplit split, Learner& learner,
                                         uint64_t epoch, double* exhausted);
  absl::StatusOr<RankSummary> Rank(EvaluatedSplit split, Learner& learner,
                                   uint64_t epoch);
  // Returns none, and notes the split, if its labels leave the metric
  // undefined, as those of one class do rocauc: that is no fault of the model.
  absl::StatusOr<std::optional<double>> IfDefined(
      EvaluatedSplit split, const absl::StatusOr<double>& measured);
  void NoteUndefined(EvaluatedSplit split, absl::string_view why);
  // Says once for each split how many labels the model cannot predict.
  absl::Status NoteOtherClasses(const PredictionRows& rows,
                                EvaluatedSplit split);

  const TrainOptions& options_;
  const TrainLoaders& loaders_;
  RankPasses& passes_;
  std::unique_ptr<LinkRanking> ranking_;  // null: the metric needs none
  int64_t num_classes_ = 0;               // of classification
  std::set<EvaluatedSplit> undefined_;    // splits without a metric
  std::set<EvaluatedSplit> noted_;        // splits whose labels have been noted
  uint64_t exhausted_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_MODEL_EVALUATION_H_
