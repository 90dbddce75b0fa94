#include "trainer_client/torch/train/model_evaluation.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/status.h"
#include "trainer_client/torch/train/exhausted_negatives.h"

namespace tributary {
namespace {

const char* PhaseOf(EvaluatedSplit split) {
  return split == EvaluatedSplit::kValid ? "valid" : "test";
}

LinkRanking::Split RankedSplit(EvaluatedSplit split) {
  return split == EvaluatedSplit::kValid ? LinkRanking::Split::kValid
                                         : LinkRanking::Split::kTest;
}

}  // namespace

absl::Status ModelEvaluation::ReadRanking() {
  if (!loaders_.ranking.given()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      ranking_,
      LinkRanking::Read(loaders_.ranking, [&](uint64_t done, uint64_t total) {
        passes_.observer().OnRound("links", 0, done, total);
        return absl::OkStatus();
      }));
  return absl::OkStatus();
}

absl::Status ModelEvaluation::NoteUnlabelledSplits(RunLabels& labels) {
  for (const EvaluatedSplit split :
       {EvaluatedSplit::kValid, EvaluatedSplit::kTest}) {
    DistLoader* const loader = is_valid(split) ? loaders_.valid : loaders_.test;
    if (loader == nullptr || (is_valid(split) && options_.epochs == 0)) {
      continue;
    }
    ASSIGN_OR_RETURN(const bool any, labels.HasLabel(loader));
    if (!any) NoteUndefined(split, "no input has a label");
  }
  return absl::OkStatus();
}

bool ModelEvaluation::has(EvaluatedSplit split) const {
  if (ranking_) return ranking_->has(RankedSplit(split));
  return (is_valid(split) ? loaders_.valid : loaders_.test) != nullptr;
}

absl::StatusOr<std::optional<double>> ModelEvaluation::Measure(
    EvaluatedSplit split, Learner& learner, uint64_t epoch) {
  if (!ranking_) return Evaluate(split, learner, epoch);
  ASSIGN_OR_RETURN(const RankSummary ranks, Rank(split, learner, epoch));
  return ranks.mrr;
}

absl::Status ModelEvaluation::MeasureTest(Learner& learner,
                                          TrainResult* result) {
  if (!has(EvaluatedSplit::kTest)) return absl::OkStatus();
  if (ranking_) {
    ASSIGN_OR_RETURN(const RankSummary ranks,
                     Rank(EvaluatedSplit::kTest, learner, result->best_epoch));
    SetTestRanks(ranks, result);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(result->test, Evaluate(EvaluatedSplit::kTest, learner,
                                          result->best_epoch));
  result->exhausted_in_test = exhausted_;
  return absl::OkStatus();
}

absl::StatusOr<RankSummary> ModelEvaluation::Rank(EvaluatedSplit split,
                                                  Learner& learner,
                                                  uint64_t epoch) {
  // The ranks meet at each call.
  const auto progress = [&](uint64_t done, uint64_t total) {
    if (done > 0) {
      passes_.observer().OnRound(PhaseOf(split), epoch, done, total);
    }
    return passes_.Meet();
  };
  return ranking_->RankByModel(RankedSplit(split), learner, passes_.group(),
                               progress);
}

absl::StatusOr<std::optional<double>> ModelEvaluation::Evaluate(
    EvaluatedSplit split, Learner& learner, uint64_t epoch) {
  const bool of_links = options_.predicts_links();  // negatives are counted
  if (!of_links && undefined_.count(split) > 0) return std::nullopt;
  DistLoader* const loader = is_valid(split) ? loaders_.valid : loaders_.test;
  DistLoader* const negatives =
      is_valid(split) ? loaders_.valid_negatives : loaders_.test_negatives;
  std::array<double, 1> exhausted{0};
  ASSIGN_OR_RETURN(PredictionRows rows,
                   Predict(loader, split, learner, epoch, &exhausted[0]));
  PredictionRows of_split;
  if (negatives != nullptr) {
    ASSIGN_OR_RETURN(of_split,
                     Predict(negatives, split, learner, epoch, &exhausted[0]));
  }
  ProcessGroup& group = passes_.group();
  RETURN_IF_ERROR(group.Sum(absl::MakeSpan(exhausted)));
  exhausted_ = static_cast<uint64_t>(exhausted[0]);
  const Metric metric = options_.metric_of_task();
  if (of_links) {
    return IfDefined(split,
                     MeasureLinksOverRanks(metric, rows, of_split, group));
  }
  RETURN_IF_ERROR(NoteOtherClasses(rows, split));
  return IfDefined(split, MeasureOverRanks(metric, std::move(rows), group));
}

absl::StatusOr<PredictionRows> ModelEvaluation::Predict(DistLoader* loader,
                                                        EvaluatedSplit split,
                                                        Learner& learner,
                                                        uint64_t epoch,
                                                        double* exhausted) {
  RETURN_IF_ERROR(passes_.Begin(loader->StartEpoch(0)));
  PredictionRows rows;
  RETURN_IF_ERROR(passes_.ForEachRound(
      loader, PhaseOf(split), epoch,
      [&](uint64_t, const BatchLease* lease) -> absl::Status {
        if (lease != nullptr) {
          RETURN_IF_ERROR(learner.Evaluate(*lease, &rows));
          *exhausted += static_cast<double>(ExhaustedNegatives(lease->view()));
        }
        return passes_.Meet();
      }));
  return rows;
}

absl::StatusOr<std::optional<double>> ModelEvaluation::IfDefined(
    EvaluatedSplit split, const absl::StatusOr<double>& measured) {
  if (measured.ok()) return *measured;
  if (!absl::IsFailedPrecondition(measured.status())) return measured.status();
  NoteUndefined(split, measured.status().message());
  return std::nullopt;
}

void ModelEvaluation::NoteUndefined(EvaluatedSplit split,
                                    absl::string_view why) {
  if (!undefined_.insert(split).second) return;
  passes_.observer().OnNote(absl::StrCat(
      NameOf(options_.metric_of_task()), " is not defined on the split ",
      is_valid(split) ? loaders_.valid_name : loaders_.test_name, ": ", why,
      is_valid(split) ? "; the last epoch's model is taken instead of the best"
                      : ""));
}

absl::Status ModelEvaluation::NoteOtherClasses(const PredictionRows& rows,
                                               EvaluatedSplit split) {
  std::array<double, 1> count{static_cast<double>(rows.other_classes)};
  RETURN_IF_ERROR(passes_.group().Sum(absl::MakeSpan(count)));
  if (count[0] == 0 || !noted_.insert(split).second) return absl::OkStatus();
  const Metric metric = options_.metric_of_task();
  const bool of_classes = metric == Metric::kAccuracy || IsF1(metric);
  passes_.observer().OnNote(absl::StrFormat(
      "%.0f inputs of %s have a label outside the model's classes 0 to %d "
      "(%s), and %s",
      count[0], PhaseOf(split), num_classes_ - 1,
      options_.counts_classes() ? "those of the training inputs"
                                : "--num-classes",
      of_classes ? "count as wrong" : "do not count"));
  return absl::OkStatus();
}

}  // namespace tributary
