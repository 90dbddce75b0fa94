// How predictions are measured over all ranks. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_EVALUATION_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_EVALUATION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

class ProcessGroup;

// A metric of predictions for nodes or links.
enum class Metric {
  kAccuracy,          // "accuracy"
  kRocAuc,            // "rocauc"
  kAveragePrecision,  // "ap"
  kMae,               // "mae"
  kRmse,              // "rmse"
};

// Returns "accuracy" and so on.
std::string NameOf(Metric metric);
// INVALID_ARGUMENT, listing the names, if there is none.
absl::StatusOr<Metric> MetricFromName(const std::string& name);
// Whether a larger value is better.
bool IsScore(Metric metric);

// The predictions of one rank: a row for each input, `columns` labels and
// predictions in each. Labels that are NaN are missing.
struct PredictionRows {
  size_t columns = 1;
  std::vector<uint64_t> input_numbers;  // [rows], in the list of inputs
  std::vector<float> labels;            // [rows, columns]
  std::vector<float> predictions;       // [rows, columns]
};

// Returns the metric over the rows of all ranks; the same bits for any number
// of ranks. Every rank must call it. For kAccuracy labels and predictions are
// class numbers, -1 for no label. Errors are those of metrics.h and of
// ProcessGroup.
absl::StatusOr<double> MeasureOverRanks(Metric metric, PredictionRows rows,
                                        ProcessGroup& group);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_EVALUATION_H_
