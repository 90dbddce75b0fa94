// Metrics of classification and regression, as the Open Graph Benchmark's
// evaluators define them (ogb.nodeproppred, ogb.graphproppred).
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRICS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRICS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Labels and predictions of a whole split: row-major matrices of
// [rows, num_tasks], which must outlive this. A label that is NaN is missing.
//
// Sums run over the rows in their order, in double precision: put the rows in
// InputOrder() for results that do not depend on the number of ranks.
struct TaskScores {
  size_t num_tasks = 1;
  absl::Span<const float> labels;
  absl::Span<const float> predictions;
};

// All functions here return INVALID_ARGUMENT, naming row and task, if the sizes
// disagree or a prediction of a labelled row is NaN; FAILED_PRECONDITION if the
// split has no label to measure by.

// Returns the share of rows whose predicted class is their label. Rows with
// label -1 are not labelled and do not count.
absl::StatusOr<double> Accuracy(absl::Span<const int64_t> labels,
                                absl::Span<const int64_t> predicted);

// The mean of an F1 score, 2 TP / (2 TP + FP + FN), over its classes.
enum class F1Average {
  kMicro,  // of the sums of TP, FP and FN of all classes
  kMacro,  // the mean of the classes' scores; 0 for one without TP, FP and FN
};

// Return what scikit-learn's f1_score does. Of class numbers: labels are as for
// Accuracy, and classes those that occur among labelled rows or predictions of
// these. Of columns: each is a class, of which a row with a label has 0 or 1; a
// prediction above 0 is a 1 (a logit: a probability above 1/2). Columns without
// a label are left out.
absl::StatusOr<double> F1OfClasses(absl::Span<const int64_t> labels,
                                   absl::Span<const int64_t> predicted,
                                   F1Average average);
absl::StatusOr<double> F1OfColumns(const TaskScores& scores, F1Average average);

// Returns the area under the ROC curve: the probability that a random positive
// row scores higher than a random negative one, where equal scores count half.
// Labels are 0, 1 or NaN. The mean over the tasks that have both classes;
// others are left out.
absl::StatusOr<double> RocAuc(const TaskScores& scores);

// Returns the average precision: the sum over the distinct scores, from the
// highest down, of the gain in recall times the precision there (scikit-learn's
// average_precision_score). Labels and tasks as for RocAuc.
absl::StatusOr<double> AveragePrecision(const TaskScores& scores);

// Return the mean of |prediction - label|, and the root of the mean of its
// square, over the labelled rows of a task; the mean over the tasks that have a
// label.
absl::StatusOr<double> MeanAbsoluteError(const TaskScores& scores);
absl::StatusOr<double> RootMeanSquaredError(const TaskScores& scores);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRICS_H_
