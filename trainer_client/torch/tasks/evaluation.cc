#include "trainer_client/torch/tasks/evaluation.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/tasks/input_order.h"
#include "trainer_client/torch/tasks/link_metrics.h"
#include "trainer_client/torch/tasks/metrics.h"

namespace tributary {
namespace {

// Collectives carry doubles: numbers of inputs are exact up to 2^53.
template <typename T>
absl::StatusOr<std::vector<T>> Gather(const std::vector<T>& own,
                                      ProcessGroup& group) {
  ASSIGN_OR_RETURN(const std::vector<double> all,
                   group.Gather(std::vector<double>(own.begin(), own.end())));
  return std::vector<T>(all.begin(), all.end());
}

absl::StatusOr<PredictionRows> GatherRows(const PredictionRows& own,
                                          ProcessGroup& group) {
  // A rank without batches does not know what they have.
  std::array<double, 2> kind{static_cast<double>(own.columns),
                             own.classes ? 1.0 : 0.0};
  RETURN_IF_ERROR(group.Max(absl::MakeSpan(kind)));
  PredictionRows all{.columns = static_cast<size_t>(kind[0]),
                     .classes = kind[1] > 0};
  ASSIGN_OR_RETURN(all.input_numbers, Gather(own.input_numbers, group));
  ASSIGN_OR_RETURN(all.labels, Gather(own.labels, group));
  ASSIGN_OR_RETURN(all.predictions, Gather(own.predictions, group));
  ASSIGN_OR_RETURN(const std::vector<size_t> order,
                   InputOrder(all.input_numbers));
  all.labels = InOrder<float>(all.labels, all.columns, order);
  all.predictions = InOrder<float>(all.predictions, all.columns, order);
  return all;
}

std::vector<int64_t> ClassNumbers(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

absl::StatusOr<double> F1Of(const PredictionRows& rows,
                            const TaskScores& scores, F1Average average) {
  return rows.classes ? F1OfClasses(ClassNumbers(rows.labels),
                                    ClassNumbers(rows.predictions), average)
                      : F1OfColumns(scores, average);
}

}  // namespace

absl::StatusOr<double> MeasureOverRanks(Metric metric, PredictionRows rows,
                                        ProcessGroup& group) {
  ASSIGN_OR_RETURN(const PredictionRows all, GatherRows(rows, group));
  const TaskScores scores{all.columns, all.labels, all.predictions};
  switch (metric.kind()) {
    case Metric::kAccuracy:
      return Accuracy(ClassNumbers(all.labels), ClassNumbers(all.predictions));
    case Metric::kF1Micro:
      return F1Of(all, scores, F1Average::kMicro);
    case Metric::kF1Macro:
      return F1Of(all, scores, F1Average::kMacro);
    case Metric::kRocAuc:
      return RocAuc(scores);
    case Metric::kAveragePrecision:
      return AveragePrecision(scores);
    case Metric::kMae:
      return MeanAbsoluteError(scores);
    case Metric::kRmse:
      return RootMeanSquaredError(scores);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("metric ", NameOf(metric), " measures links only"));
  }
}

absl::StatusOr<double> MeasureLinksOverRanks(Metric metric,
                                             const PredictionRows& links,
                                             const PredictionRows& negatives,
                                             ProcessGroup& group) {
  ASSIGN_OR_RETURN(const PredictionRows all, GatherRows(links, group));
  ASSIGN_OR_RETURN(const PredictionRows none, GatherRows(negatives, group));
  return MeasureLinks(metric, {.columns = all.columns,
                               .labels = all.labels,
                               .scores = all.predictions,
                               .negatives = none.predictions});
}

}  // namespace tributary
