#include "trainer_client/torch/tasks/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

struct ScoredLabel {
  float prediction;
  float label;
};
using LabelledRows = std::vector<ScoredLabel>;
// The metric of one task; nullopt if it is undefined for it.
using TaskMetric = absl::FunctionRef<std::optional<double>(LabelledRows& rows)>;

absl::Status CheckSizes(const TaskScores& scores) {
  const size_t labels = scores.labels.size();
  if (scores.num_tasks == 0) {
    return absl::InvalidArgumentError("num_tasks is 0; allowed: 1 or more");
  }
  if (labels != scores.predictions.size() || labels % scores.num_tasks != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        labels, " labels and ", scores.predictions.size(), " predictions of ",
        scores.num_tasks,
        " tasks; allowed: as many of both, the same for each task"));
  }
  return absl::OkStatus();
}

absl::StatusOr<LabelledRows> RowsOfTask(const TaskScores& scores, size_t task,
                                        bool binary) {
  LabelledRows rows;
  for (size_t at = task; at < scores.labels.size(); at += scores.num_tasks) {
    const float label = scores.labels[at], prediction = scores.predictions[at];
    if (std::isnan(label)) continue;
    const size_t row = at / scores.num_tasks;
    if (std::isnan(prediction)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the prediction of row ", row, ", task ", task, " is NaN"));
    }
    if (binary && label != 0 && label != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the label of row ", row, ", task ", task, " is ", label,
                       "; allowed: 0, 1, or NaN where it is missing"));
    }
    rows.push_back({prediction, label});
  }
  return rows;
}

// The mean of `metric` over the tasks that it is defined for.
absl::StatusOr<double> MeanOverTasks(const TaskScores& scores, bool binary,
                                     TaskMetric metric) {
  RETURN_IF_ERROR(CheckSizes(scores));
  double sum = 0;
  size_t defined = 0;
  for (size_t task = 0; task < scores.num_tasks; ++task) {
    ASSIGN_OR_RETURN(LabelledRows rows, RowsOfTask(scores, task, binary));
    const std::optional<double> value = metric(rows);
    if (!value) continue;
    sum += *value;
    ++defined;
  }
  if (defined > 0) return sum / static_cast<double>(defined);
  return absl::FailedPreconditionError(
      binary ? "no task has rows labelled 0 and rows labelled 1"
             : "no row has a label");
}

// Rows with equal predictions.
struct Tie {
  uint64_t positives = 0;
  uint64_t negatives = 0;
};

// Returns the groups of equal predictions, from the highest down; empty unless
// both classes occur. Sorts `rows`. What follows counts these integers, so it
// does not depend on the order of the rows.
std::vector<Tie> Ties(LabelledRows& rows) {
  std::sort(rows.begin(), rows.end(), [](ScoredLabel a, ScoredLabel b) {
    return a.prediction > b.prediction;
  });
  std::vector<Tie> ties;
  uint64_t positives = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].prediction != rows[i - 1].prediction) {
      ties.emplace_back();
    }
    const bool positive = rows[i].label == 1;
    ++(positive ? ties.back().positives : ties.back().negatives);
    positives += positive ? 1 : 0;
  }
  if (positives == 0 || positives == rows.size()) return {};
  return ties;
}

std::optional<double> RocAucOfTask(LabelledRows& rows) {
  const std::vector<Tie> ties = Ties(rows);
  if (ties.empty()) return std::nullopt;
  // Twice the number of pairs whose positive scores higher; equal pairs are
  // half a pair each. 64 bits suffice for 2^32 rows.
  uint64_t doubled_wins = 0, positives = 0, negatives = 0;
  for (const Tie& tie : ties) {
    doubled_wins += tie.negatives * (2 * positives + tie.positives);
    positives += tie.positives;
    negatives += tie.negatives;
  }
  return static_cast<double>(doubled_wins) /
         (2 * static_cast<double>(positives) * static_cast<double>(negatives));
}

std::optional<double> AveragePrecisionOfTask(LabelledRows& rows) {
  const std::vector<Tie> ties = Ties(rows);
  if (ties.empty()) return std::nullopt;
  double sum = 0;
  uint64_t positives = 0, taken = 0;
  for (const Tie& tie : ties) {
    positives += tie.positives;
    taken += tie.positives + tie.negatives;
    sum += static_cast<double>(tie.positives) *
           (static_cast<double>(positives) / static_cast<double>(taken));
  }
  return sum / static_cast<double>(positives);
}

// The mean of `error` of (prediction - label).
template <typename Error>
std::optional<double> MeanError(const LabelledRows& rows, Error error) {
  if (rows.empty()) return std::nullopt;
  double sum = 0;
  for (const ScoredLabel& row : rows) {
    sum += error(static_cast<double>(row.prediction) -
                 static_cast<double>(row.label));
  }
  return sum / static_cast<double>(rows.size());
}

// The rows of a class.
struct ClassCounts {
  uint64_t both = 0;   // true positives
  uint64_t wrong = 0;  // false positives and false negatives

  double F1() const {
    const double sum =
        2 * static_cast<double>(both) + static_cast<double>(wrong);
    return sum == 0 ? 0 : 2 * static_cast<double>(both) / sum;
  }
};

absl::StatusOr<double> MeanF1(const std::vector<ClassCounts>& classes,
                              F1Average average) {
  if (classes.empty()) {
    return absl::FailedPreconditionError("no row has a label");
  }
  ClassCounts all;
  double sum = 0;
  for (const ClassCounts& of_class : classes) {
    all.both += of_class.both;
    all.wrong += of_class.wrong;
    sum += of_class.F1();
  }
  return average == F1Average::kMicro
             ? all.F1()
             : sum / static_cast<double>(classes.size());
}

absl::Status CheckEqualSizes(absl::Span<const int64_t> labels,
                             absl::Span<const int64_t> predicted) {
  if (labels.size() == predicted.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(labels.size(), " labels and ", predicted.size(),
                   " predictions; allowed: as many of both"));
}

}  // namespace

absl::StatusOr<double> Accuracy(absl::Span<const int64_t> labels,
                                absl::Span<const int64_t> predicted) {
  RETURN_IF_ERROR(CheckEqualSizes(labels, predicted));
  uint64_t labelled = 0, correct = 0;
  for (size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == -1) continue;
    ++labelled;
    correct += labels[row] == predicted[row] ? 1 : 0;
  }
  if (labelled == 0) {
    return absl::FailedPreconditionError("no row has a label");
  }
  return static_cast<double>(correct) / static_cast<double>(labelled);
}

absl::StatusOr<double> F1OfClasses(absl::Span<const int64_t> labels,
                                   absl::Span<const int64_t> predicted,
                                   F1Average average) {
  RETURN_IF_ERROR(CheckEqualSizes(labels, predicted));
  std::map<int64_t, ClassCounts> by_class;
  for (size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == -1) continue;
    if (labels[row] == predicted[row]) {
      ++by_class[labels[row]].both;
    } else {
      ++by_class[labels[row]].wrong;
      ++by_class[predicted[row]].wrong;
    }
  }
  std::vector<ClassCounts> classes;
  for (const auto& [number, counts] : by_class) classes.push_back(counts);
  return MeanF1(classes, average);
}

absl::StatusOr<double> F1OfColumns(const TaskScores& scores,
                                   F1Average average) {
  RETURN_IF_ERROR(CheckSizes(scores));
  std::vector<ClassCounts> classes;
  for (size_t task = 0; task < scores.num_tasks; ++task) {
    ASSIGN_OR_RETURN(const LabelledRows rows,
                     RowsOfTask(scores, task, /*binary=*/true));
    if (rows.empty()) continue;
    ClassCounts& of_task = classes.emplace_back();
    for (const ScoredLabel& row : rows) {
      const bool predicted = row.prediction > 0, positive = row.label == 1;
      of_task.both += predicted && positive ? 1 : 0;
      of_task.wrong += predicted != positive ? 1 : 0;
    }
  }
  return MeanF1(classes, average);
}

absl::StatusOr<double> RocAuc(const TaskScores& scores) {
  return MeanOverTasks(scores, /*binary=*/true, RocAucOfTask);
}

absl::StatusOr<double> AveragePrecision(const TaskScores& scores) {
  return MeanOverTasks(scores, /*binary=*/true, AveragePrecisionOfTask);
}

absl::StatusOr<double> MeanAbsoluteError(const TaskScores& scores) {
  return MeanOverTasks(scores, /*binary=*/false, [](LabelledRows& rows) {
    return MeanError(rows, [](double error) { return std::abs(error); });
  });
}

absl::StatusOr<double> RootMeanSquaredError(const TaskScores& scores) {
  return MeanOverTasks(scores, /*binary=*/false,
                       [](LabelledRows& rows) -> std::optional<double> {
                         const auto mean = MeanError(
                             rows, [](double error) { return error * error; });
                         if (!mean) return std::nullopt;
                         return std::sqrt(*mean);
                       });
}

}  // namespace tributary
