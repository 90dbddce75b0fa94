// The options of `tributary-train`'s training. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "common/runtime/clock.h"
#include "trainer_client/torch/nn/model_options.h"
#include "trainer_client/torch/tasks/link_task_options.h"
#include "trainer_client/torch/tasks/metric.h"
#include "trainer_client/torch/tasks/node/node_task_options.h"
#include "trainer_client/torch/train/checkpoint_options.h"
#include "trainer_client/torch/train/model_factory.h"
#include "trainer_client/torch/train/schedule/early_stopping.h"
#include "trainer_client/torch/train/schedule/lr_schedule.h"

namespace tributary {

// Learned rows that live on the servers, of nodes that models read no features
// of.
struct SparseEmbeddingOptions {
  bool enabled = false;  // else such rows are parameters of each rank
  // "adam", "adagrad" or "sgd", with torch's defaults; weight_decay is not
  // applied.
  std::string optimizer = "adam";
  double learning_rate = 0.01;  // which the schedule applies to, too
  // Whether types with features use them. Without, all types learn rows, and
  // no feature is read.
  bool node_feats = false;
};

// Options of Train(); Validate() checks their ranges.
struct TrainOptions {
  static constexpr uint64_t kMaxEpochs = uint64_t{1} << 30;
  static constexpr uint64_t kMaxAccumulate = uint64_t{1} << 20;
  // With rows on the servers, where each batch of a step has a 32 bit place.
  static constexpr uint64_t kMaxSparseAccumulate = uint64_t{1} << 16;
  static constexpr int kMaxLayers = 16;
  static constexpr int64_t kMaxHiddenChannels = int64_t{1} << 20;
  static constexpr int64_t kMaxClasses = int64_t{1} << 24;

  uint64_t random_seed = 0;  // of initial parameters and dropout
  // 0: the parameters stay as they are drawn or loaded, and are evaluated.
  uint64_t epochs = 10;
  uint64_t eval_every = 1;  // epochs; the last one is always evaluated

  // Train() sets out_channels by the task. num_layers must equal the loaders'
  // hops.
  ModelOptions model{.hidden_channels = 256, .dropout = 0.5};
  ModelFactory make_model;  // empty: MakeModel(), of model.model
  // Of links, Train() sets channels and dropout by the model.
  std::variant<NodeTaskKind, LinkTaskOptions> task =
      NodeTaskKind::kClassification;
  std::optional<Metric> metric;  // the task's first, if there is none
  // Of inputs that are nodes; empty: the graph's only node type.
  std::string input_type;
  // 0: one more than the largest label of the training inputs, which a pass
  // over them finds.
  int64_t num_classes = 0;

  double learning_rate = 0.01;
  LrSchedule schedule;        // of the learning rate
  double weight_decay = 0;    // Adam's, added to the gradient
  double clip_grad_norm = 0;  // 0: gradients are not clipped
  uint64_t accumulate = 1;    // rounds of each optimizer step
  SparseEmbeddingOptions sparse;
  // Ends training when the metric on the validation inputs stops improving.
  std::optional<EarlyStoppingOptions> early_stopping;

  CheckpointOptions checkpoints;
  // A safetensors file that save_model wrote, whose parameters the run starts
  // from; a checkpoint that is resumed replaces them. Empty: none.
  std::string load_model;
  // A safetensors file for the best epoch's parameters; empty: none.
  std::string save_model;

  bool row_normalize = false;   // divide each feature row by its sum
  bool expand_all = false;      // must equal the loaders' option
  std::string device = "auto";  // "cpu", "cuda", or the GPU if there is one
  // "none", or "bf16": models compute in bfloat16 where torch.autocast does.
  // Parameters, losses and metrics stay in float32.
  std::string amp = "none";

  // Measures the phases of steps; must outlive the run.
  const Clock* clock = &SteadyClock();

  // Returns the metric, or else the task's first.
  Metric metric_of_task() const;
  bool predicts_links() const {
    return std::holds_alternative<LinkTaskOptions>(task);
  }
  bool classifies_nodes() const {
    const auto* kind = std::get_if<NodeTaskKind>(&task);
    return kind != nullptr && *kind == NodeTaskKind::kClassification;
  }
  // Whether nodes of types with features are read by learned rows instead.
  bool ignores_features() const { return sparse.enabled && !sparse.node_feats; }
  // Whether a pass over the training inputs finds the number of classes.
  bool counts_classes() const { return classifies_nodes() && num_classes == 0; }
  // Whether training looks for a label of the training inputs before.
  bool needs_labels() const { return !predicts_links() && epochs > 0; }
  // INVALID_ARGUMENT, naming field, value and what is allowed.
  absl::Status Validate() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OPTIONS_H_
