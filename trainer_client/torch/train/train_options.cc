#include "trainer_client/torch/train/train_options.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

template <typename T>
absl::Status InRange(const char* field, T value, T low, T high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, ", allowed are ", low, " to ", high));
}

}  // namespace

absl::Status TrainOptions::Validate() const {
  constexpr double kJustBelowOne = 0.999;
  RETURN_IF_ERROR(InRange<uint64_t>("epochs", epochs, 1, kMaxEpochs));
  RETURN_IF_ERROR(InRange<uint64_t>("eval_every", eval_every, 1, kMaxEpochs));
  RETURN_IF_ERROR(InRange<int>("layers", num_layers, 1, kMaxLayers));
  RETURN_IF_ERROR(
      InRange<int64_t>("hidden", hidden_channels, 1, kMaxHiddenChannels));
  RETURN_IF_ERROR(InRange("dropout", dropout, 0.0, kJustBelowOne));
  RETURN_IF_ERROR(InRange("input_dropout", input_dropout, 0.0, kJustBelowOne));
  RETURN_IF_ERROR(InRange("lr", learning_rate, 1e-12, 1e3));
  RETURN_IF_ERROR(InRange("weight_decay", weight_decay, 0.0, 1e3));
  RETURN_IF_ERROR(InRange<int64_t>("num_classes", num_classes, 0, kMaxClasses));
  if (device != "auto" && device != "cpu" && device != "cuda") {
    return absl::InvalidArgumentError(absl::StrCat(
        "device is \"", device, "\", allowed are auto, cpu and cuda"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
