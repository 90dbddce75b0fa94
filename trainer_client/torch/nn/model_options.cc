#include "trainer_client/torch/nn/model_options.h"

#include <cmath>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int64_t kMaxChannels = int64_t{1} << 20;
constexpr int kMaxLayers = 64;

absl::Status OneOf(std::string_view option, const std::string& value,
                   absl::Span<const std::string> allowed) {
  if (absl::c_linear_search(allowed, value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(option), " is \"", value,
                   "\", allowed: ", absl::StrJoin(allowed, ", ")));
}

absl::Status InRange(std::string_view option, int64_t value, int64_t least,
                     int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      std::string(option), " is ", value, ", allowed: ", least, " to ", most));
}

absl::Status Probability(std::string_view option, double value) {
  if (value >= 0 && value < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      std::string(option), " is ", value, ", allowed: at least 0, below 1"));
}

}  // namespace

absl::Status ModelOptions::Validate() const {
  RETURN_IF_ERROR(
      OneOf("model", model, {"sage", "gcn", "gat", "rgcn", "embedding"}));
  RETURN_IF_ERROR(OneOf("aggr", aggr, {"mean", "max"}));
  RETURN_IF_ERROR(OneOf("norm", norm, {"both", "right"}));
  RETURN_IF_ERROR(InRange("hidden_channels", hidden_channels, 1, kMaxChannels));
  RETURN_IF_ERROR(InRange("out_channels", out_channels, 1, kMaxChannels));
  RETURN_IF_ERROR(InRange("num_layers", num_layers, 1, kMaxLayers));
  RETURN_IF_ERROR(InRange("heads", heads, 1, kMaxChannels));
  RETURN_IF_ERROR(InRange("num_bases", num_bases, 0, kMaxChannels));
  RETURN_IF_ERROR(Probability("dropout", dropout));
  RETURN_IF_ERROR(Probability("input_dropout", input_dropout));
  RETURN_IF_ERROR(Probability("attention_dropout", attention_dropout));
  if (!std::isfinite(negative_slope)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "negative_slope is ", negative_slope, ", allowed: a finite number"));
  }
  if (model == "embedding" && num_layers != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_layers is ", num_layers,
                     ", allowed with the model embedding: 1, of no "
                     "neighbours"));
  }
  if (model == "gat" && hidden_channels % heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("hidden_channels is ", hidden_channels,
                     ", allowed: multiples of heads, which is ", heads));
  }
  return absl::OkStatus();
}

}  // namespace tributary
