#include "trainer_client/torch/tasks/metric.h"

#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/parse_number.h"

namespace tributary {
namespace {

constexpr absl::string_view kHitsPrefix = "hits@";

struct Named {
  Metric metric;
  absl::string_view name;
};
constexpr std::array<Named, 9> kMetrics = {{
    {Metric::kAccuracy, "accuracy"},
    {Metric::kRocAuc, "rocauc"},
    {Metric::kAveragePrecision, "ap"},
    {Metric::kMae, "mae"},
    {Metric::kRmse, "rmse"},
    {Metric::kMrr, "mrr"},
    {Metric::kFilteredMrr, "filtered-mrr"},
    {Metric::kF1Micro, "f1-micro"},
    {Metric::kF1Macro, "f1-macro"},
}};

}  // namespace

std::string NameOf(Metric metric) {
  if (metric.kind() == Metric::kHits) {
    return absl::StrCat(kHitsPrefix, metric.k());
  }
  for (const Named& named : kMetrics) {
    if (named.metric == metric) return std::string(named.name);
  }
  return "unknown";
}

absl::StatusOr<Metric> MetricFromName(const std::string& name) {
  for (const Named& named : kMetrics) {
    if (named.name == name) return named.metric;
  }
  absl::string_view k = name;
  if (absl::ConsumePrefix(&k, kHitsPrefix)) {
    const std::optional<uint64_t> number = ParseNumber<uint64_t>(k);
    if (number && *number > 0) return Metric::Hits(*number);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "metric is \"", name,
      "\"; allowed: accuracy, f1-micro, f1-macro, rocauc, ap, mae, rmse, mrr, "
      "filtered-mrr, hits@K with a whole number K from 1, such as hits@20"));
}

bool IsF1(Metric metric) {
  return metric == Metric::kF1Micro || metric == Metric::kF1Macro;
}

bool RanksAllEntities(Metric metric) { return metric == Metric::kFilteredMrr; }

bool IsScore(Metric metric) {
  return metric != Metric::kMae && metric != Metric::kRmse;
}

}  // namespace tributary
