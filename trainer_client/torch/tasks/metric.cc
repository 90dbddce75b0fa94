#include "trainer_client/torch/tasks/metric.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

struct Named {
  Metric metric;
  absl::string_view name;
};
constexpr std::array<Named, 5> kMetrics = {{
    {Metric::kAccuracy, "accuracy"},
    {Metric::kRocAuc, "rocauc"},
    {Metric::kAveragePrecision, "ap"},
    {Metric::kMae, "mae"},
    {Metric::kRmse, "rmse"},
}};

}  // namespace

std::string NameOf(Metric metric) {
  for (const Named& named : kMetrics) {
    if (named.metric == metric) return std::string(named.name);
  }
  return "unknown";
}

absl::StatusOr<Metric> MetricFromName(const std::string& name) {
  for (const Named& named : kMetrics) {
    if (named.name == name) return named.metric;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "metric is \"", name, "\"; allowed: accuracy, rocauc, ap, mae, rmse"));
}

bool IsScore(Metric metric) {
  return metric != Metric::kMae && metric != Metric::kRmse;
}

}  // namespace tributary
