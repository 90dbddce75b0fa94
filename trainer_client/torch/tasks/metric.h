// The metrics that a run may be measured by. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRIC_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRIC_H_

#include <string>

#include "absl/status/statusor.h"

namespace tributary {

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

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRIC_H_
