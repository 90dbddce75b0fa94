#include "trainer_client/torch/train/schedule/early_stopping.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status EarlyStoppingOptions::Validate() const {
  if (patience == 0) {
    return absl::InvalidArgumentError(
        "early stopping: patience is 0; allowed: 1 or more");
  }
  if (!(min_delta >= 0 && std::isfinite(min_delta))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "early stopping: min_delta is ", min_delta, "; allowed: 0 or more"));
  }
  return absl::OkStatus();
}

bool EarlyStopping::Update(double metric) {
  bool improved = !std::isnan(metric);
  if (improved && state_.best) {
    improved = options_.mode == MetricMode::kMax
                   ? metric - options_.min_delta > *state_.best
                   : metric + options_.min_delta < *state_.best;
  }
  if (improved) {
    state_ = {.best = metric, .without_improvement = 0};
  } else {
    ++state_.without_improvement;
  }
  return improved;
}

}  // namespace tributary
