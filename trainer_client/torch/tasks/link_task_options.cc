#include "trainer_client/torch/tasks/link_task_options.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<LinkDecoder> LinkDecoderFromName(const std::string& name) {
  if (name == "dot") return LinkDecoder::kDot;
  if (name == "distmult") return LinkDecoder::kDistMult;
  if (name == "mlp") return LinkDecoder::kMlp;
  return absl::InvalidArgumentError(
      absl::StrCat("decoder is \"", name, "\"; allowed: dot, distmult, mlp"));
}

bool MeasuresLinks(Metric metric) {
  switch (metric.kind()) {
    case Metric::kRocAuc:
    case Metric::kAveragePrecision:
    case Metric::kMrr:
    case Metric::kHits:
    case Metric::kFilteredMrr:
      return true;
    default:
      return false;
  }
}

}  // namespace tributary
