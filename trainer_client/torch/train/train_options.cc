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

absl::Status CheckSparse(const TrainOptions& o) {
  const SparseEmbeddingOptions& sparse = o.sparse;
  if (!sparse.enabled) return absl::OkStatus();
  RETURN_IF_ERROR(InRange("sparse_lr", sparse.learning_rate, 1e-12, 1e3));
  RETURN_IF_ERROR(
      InRange<uint64_t>("accumulate", o.accumulate, 1, o.kMaxSparseAccumulate));
  if (sparse.optimizer != "adam" && sparse.optimizer != "adagrad" &&
      sparse.optimizer != "sgd") {
    return absl::InvalidArgumentError(
        absl::StrCat("sparse_optimizer is \"", sparse.optimizer,
                     "\", allowed are adam, adagrad and sgd"));
  }
  if (o.clip_grad_norm > 0) {
    return absl::InvalidArgumentError(
        "clip_grad_norm with sparse_embedding: no rank has the gradients of "
        "all rows, so their norm is not known; allowed: one of them");
  }
  if (o.make_model) {
    return absl::InvalidArgumentError(
        "sparse_embedding with a model of the program's own; allowed: a "
        "DistInputEmbedding in that model");
  }
  return absl::OkStatus();
}

}  // namespace

Metric TrainOptions::metric_of_task() const {
  if (metric) return *metric;
  if (predicts_links()) return Metric::kAveragePrecision;
  switch (std::get<NodeTaskKind>(task)) {
    case NodeTaskKind::kClassification:
      return Metric::kAccuracy;
    case NodeTaskKind::kMultiLabel:
      return Metric::kRocAuc;
    case NodeTaskKind::kRegression:
      return Metric::kRmse;
  }
  return Metric::kAccuracy;
}

absl::Status TrainOptions::Validate() const {
  constexpr double kJustBelowOne = 0.999;
  RETURN_IF_ERROR(InRange<uint64_t>("epochs", epochs, 0, kMaxEpochs));
  RETURN_IF_ERROR(InRange<uint64_t>("eval_every", eval_every, 1, kMaxEpochs));
  RETURN_IF_ERROR(InRange<int>("layers", model.num_layers, 1, kMaxLayers));
  RETURN_IF_ERROR(
      InRange<int64_t>("hidden", model.hidden_channels, 1, kMaxHiddenChannels));
  RETURN_IF_ERROR(InRange("dropout", model.dropout, 0.0, kJustBelowOne));
  RETURN_IF_ERROR(
      InRange("input_dropout", model.input_dropout, 0.0, kJustBelowOne));
  ModelOptions complete = model;
  complete.out_channels = 1;  // it depends on the task
  if (model.model == "embedding" && !predicts_links()) {
    return absl::InvalidArgumentError(
        "model embedding; allowed: with a task of links");
  }
  RETURN_IF_ERROR(complete.Validate());
  if (predicts_links() && !MeasuresLinks(metric_of_task())) {
    return absl::InvalidArgumentError(
        absl::StrCat("metric ", NameOf(metric_of_task()),
                     " does not measure links; allowed: ap, rocauc, mrr, "
                     "filtered-mrr, hits@K"));
  }
  RETURN_IF_ERROR(InRange("lr", learning_rate, 1e-12, 1e3));
  RETURN_IF_ERROR(InRange("weight_decay", weight_decay, 0.0, 1e3));
  RETURN_IF_ERROR(InRange("clip_grad_norm", clip_grad_norm, 0.0, 1e9));
  RETURN_IF_ERROR(
      InRange<uint64_t>("accumulate", accumulate, 1, kMaxAccumulate));
  RETURN_IF_ERROR(CheckSparse(*this));
  RETURN_IF_ERROR(schedule.Validate());
  RETURN_IF_ERROR(checkpoints.Validate());
  if (early_stopping) RETURN_IF_ERROR(early_stopping->Validate());
  RETURN_IF_ERROR(InRange<int64_t>("num_classes", num_classes, 0, kMaxClasses));
  if (device != "auto" && device != "cpu" && device != "cuda") {
    return absl::InvalidArgumentError(absl::StrCat(
        "device is \"", device, "\", allowed are auto, cpu and cuda"));
  }
  if (amp != "none" && amp != "bf16") {
    return absl::InvalidArgumentError(
        absl::StrCat("amp is \"", amp,
                     "\", allowed are none and bf16 (float16 would need a "
                     "scaled loss)"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
