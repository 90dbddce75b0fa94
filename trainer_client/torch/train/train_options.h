// The model and the training parameters of `tributary-train`. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace tributary {

// Options of Train(); Validate() checks their ranges.
struct TrainOptions {
  static constexpr uint64_t kMaxEpochs = uint64_t{1} << 30;
  static constexpr int kMaxLayers = 16;
  static constexpr int64_t kMaxHiddenChannels = int64_t{1} << 20;
  static constexpr int64_t kMaxClasses = int64_t{1} << 24;

  uint64_t random_seed = 0;  // of initial parameters and dropout
  uint64_t epochs = 10;
  uint64_t eval_every = 1;  // epochs; the last one is always evaluated
  int num_layers = 2;       // must equal the loaders' hops
  int64_t hidden_channels = 256;
  double dropout = 0.5;
  double input_dropout = 0;
  double learning_rate = 0.01;
  double weight_decay = 0;     // Adam's, added to the gradient
  bool row_normalize = false;  // divide each feature row by its sum
  bool expand_all = false;     // must equal the loaders' option
  // 0: one more than the largest label of the training inputs, which a pass
  // over them finds.
  int64_t num_classes = 0;
  std::string device = "auto";  // "cpu", "cuda", or the GPU if there is one

  // INVALID_ARGUMENT, naming field, value and what is allowed.
  absl::Status Validate() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OPTIONS_H_
