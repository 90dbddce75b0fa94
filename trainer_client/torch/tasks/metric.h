// The metrics that a run may be measured by. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRIC_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRIC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tributary {

// A metric of predictions for nodes or links.
class Metric {
 public:
  enum Kind {
    kAccuracy,          // "accuracy"
    kRocAuc,            // "rocauc"
    kAveragePrecision,  // "ap"
    kMae,               // "mae"
    kRmse,              // "rmse"
    kMrr,               // "mrr"
    kHits,              // "hits@K"; made by Hits()
    kFilteredMrr,       // "filtered-mrr"
    kF1Micro,           // "f1-micro"
    kF1Macro,           // "f1-macro"
  };

  constexpr Metric(Kind kind) : kind_(kind) {}
  // Returns hits@k; k is at least 1.
  static constexpr Metric Hits(uint64_t k) {
    Metric metric(kHits);
    metric.k_ = k;
    return metric;
  }

  constexpr Kind kind() const { return kind_; }
  constexpr uint64_t k() const { return k_; }  // of hits@k; else 0
  friend constexpr bool operator==(const Metric&, const Metric&) = default;

 private:
  Kind kind_;
  uint64_t k_ = 0;
};

// Returns "accuracy", "hits@20" and so on.
std::string NameOf(Metric metric);
// INVALID_ARGUMENT, listing the names, if there is none.
absl::StatusOr<Metric> MetricFromName(const std::string& name);
// Whether it is f1-micro or f1-macro.
bool IsF1(Metric metric);
// Whether links are ranked among all nodes, by RankAmongAll().
bool RanksAllEntities(Metric metric);
// Whether a larger value is better.
bool IsScore(Metric metric);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_METRIC_H_
