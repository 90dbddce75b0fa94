#include "trainer_client/torch/tasks/node/node_task.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/tasks/append_floats.h"
#include "trainer_client/torch/tasks/node/labels.h"

namespace tributary {
namespace {

absl::Status CheckDefined(const MiniBatch& batch, const TypeTensors& out) {
  if (!batch.y.defined()) {
    return absl::InvalidArgumentError(
        "the batch has no labels (y) to train on");
  }
  if (batch.input_type < out.size() && out[batch.input_type].defined()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the model computes no rows for the type of the inputs, into which no "
      "edge type leads; allowed: a graph partitioned with --add-reverse, or "
      "--model rgcn");
}

// Returns each input's row of the model's output.
at::Tensor OutputOfInputs(const MiniBatch& batch, const TypeTensors& out) {
  return out.at(batch.input_type).index_select(0, batch.seed_index);
}

void AppendInputs(const MiniBatch& batch, PredictionRows* rows) {
  const int64_t* ids = batch.input_id.const_data_ptr<int64_t>();
  rows->input_numbers.insert(rows->input_numbers.end(), ids,
                             ids + batch.input_id.numel());
}

class Classification final : public TrainingTask {
 public:
  explicit Classification(const NodeTaskOptions& options) : options_(options) {}

  int64_t out_channels() const override { return options_.num_classes; }

  absl::StatusOr<at::Tensor> Loss(const MiniBatch& batch,
                                  const TypeTensors& out,
                                  Tally* tally) override {
    RETURN_IF_ERROR(CheckDefined(batch, out));
    ASSIGN_OR_RETURN(const at::Tensor classes, ClassLabels(batch.y));
    RETURN_IF_ERROR(CheckRange(classes));
    const at::Tensor logits = OutputOfInputs(batch, out);
    const at::Tensor labels = classes.to(logits.device());
    const at::Tensor loss = at::cross_entropy_loss(
        logits, labels, /*weight=*/{}, at::Reduction::Sum, kNoLabel);
    tally->loss += loss.item<double>();
    tally->correct += (logits.argmax(1) == labels).sum().item<double>();
    tally->labelled += (classes != kNoLabel).sum().item<double>();
    tally->inputs += static_cast<double>(classes.numel());
    return loss;
  }

  // A label of a class that the model does not have counts as wrong in the
  // accuracy, and is left out of other metrics.
  absl::Status Predict(const MiniBatch& batch, const TypeTensors& out,
                       PredictionRows* rows) override {
    RETURN_IF_ERROR(CheckDefined(batch, out));
    ASSIGN_OR_RETURN(const at::Tensor labels, ClassLabels(batch.y));
    const at::Tensor other = OtherClasses(labels);
    rows->other_classes += other.sum().item<int64_t>();
    const at::Tensor logits = OutputOfInputs(batch, out);
    AppendInputs(batch, rows);
    if (options_.metric == Metric::kAccuracy || IsF1(options_.metric)) {
      rows->classes = true;
      AppendFloats(labels, &rows->labels);
      AppendFloats(logits.argmax(1), &rows->predictions);
      return absl::OkStatus();
    }
    if (options_.num_classes != 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "metric ", NameOf(options_.metric), " with ", options_.num_classes,
          " classes; allowed: with 2, or metric accuracy, f1-micro, "
          "f1-macro"));
    }
    const at::Tensor missing = other | (labels == kNoLabel);
    AppendFloats(labels.to(at::kFloat).masked_fill(missing, NAN),
                 &rows->labels);
    AppendFloats(logits.select(1, 1) - logits.select(1, 0), &rows->predictions);
    return absl::OkStatus();
  }

 private:
  // Returns which labels are none of the model's classes.
  at::Tensor OtherClasses(const at::Tensor& labels) const {
    return (labels != kNoLabel) &
           ((labels < 0) | (labels >= options_.num_classes));
  }

  // Checked here, for cross_entropy says only that a target is out of bounds.
  absl::Status CheckRange(const at::Tensor& labels) const {
    const at::Tensor wrong = OtherClasses(labels);
    if (!wrong.any().item<bool>()) return absl::OkStatus();
    const auto label = labels.masked_select(wrong)[0].item<int64_t>();
    return absl::OutOfRangeError(absl::StrCat(
        "an input has the label ", label, "; allowed: 0 to ",
        options_.num_classes - 1, ", the model's classes (--num-classes ",
        options_.num_classes, "), and -1 for none"));
  }

  const NodeTaskOptions options_;
};

// Multi-label classification and regression: numbers in columns, some missing.
class Columns final : public TrainingTask {
 public:
  explicit Columns(const NodeTaskOptions& options) : options_(options) {}

  int64_t out_channels() const override { return options_.columns; }

  absl::StatusOr<at::Tensor> Loss(const MiniBatch& batch,
                                  const TypeTensors& out,
                                  Tally* tally) override {
    RETURN_IF_ERROR(CheckDefined(batch, out));
    ASSIGN_OR_RETURN(const at::Tensor labels, LabelsOf(batch));
    const at::Tensor output = OutputOfInputs(batch, out);
    const at::Tensor present = labels.isnan().logical_not().to(output.device());
    const at::Tensor target =
        labels.nan_to_num(0).to(output.device(), output.scalar_type());
    const at::Tensor each =
        multi_label() ? at::binary_cross_entropy_with_logits(
                            output, target, {}, {}, at::Reduction::None)
                      : (output - target).square();
    const at::Tensor loss =
        (each * present).sum() / static_cast<double>(options_.columns);
    tally->loss += loss.item<double>();
    tally->labelled += present.any(1).sum().item<double>();
    tally->inputs += static_cast<double>(labels.size(0));
    return loss;
  }

  absl::Status Predict(const MiniBatch& batch, const TypeTensors& out,
                       PredictionRows* rows) override {
    RETURN_IF_ERROR(CheckDefined(batch, out));
    ASSIGN_OR_RETURN(const at::Tensor labels, LabelsOf(batch));
    AppendInputs(batch, rows);
    rows->columns = static_cast<size_t>(options_.columns);
    AppendFloats(labels, &rows->labels);
    AppendFloats(OutputOfInputs(batch, out), &rows->predictions);
    return absl::OkStatus();
  }

 private:
  bool multi_label() const {
    return options_.kind == NodeTaskKind::kMultiLabel;
  }

  // float32 [inputs, columns]; missing ones are NaN.
  absl::StatusOr<at::Tensor> LabelsOf(const MiniBatch& batch) const {
    if (multi_label()) return ZeroOneLabels(batch.y, options_.columns);
    return NumberLabels(batch.y, options_.columns);
  }

  const NodeTaskOptions options_;
};

}  // namespace

std::unique_ptr<TrainingTask> MakeNodeTask(const NodeTaskOptions& options) {
  if (options.kind == NodeTaskKind::kClassification) {
    return std::make_unique<Classification>(options);
  }
  return std::make_unique<Columns>(options);
}

}  // namespace tributary
