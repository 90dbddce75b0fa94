#include "trainer_client/torch/inference/prediction_target.h"

#include "absl/strings/str_cat.h"

namespace tributary {

std::string PredictionTarget::ToString() const {
  return absl::StrCat(type, type.empty() ? "" : ":", all_nodes() ? "*" : split);
}

absl::StatusOr<PredictionTarget> ParsePredictionTarget(
    const std::string& text) {
  const size_t colon = text.rfind(':');
  const bool typed = colon != std::string::npos;
  PredictionTarget target{.type = typed ? text.substr(0, colon) : std::string(),
                          .split = typed ? text.substr(colon + 1) : text};
  if (target.split.empty() || (typed && target.type.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--predict is \"", text, "\", allowed are [TYPE:]SPLIT and [TYPE:]*"));
  }
  if (target.split == "*") target.split.clear();
  return target;
}

}  // namespace tributary
