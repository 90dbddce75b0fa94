#include "trainer_client/torch/tasks/node/labels.h"

#include <ATen/ATen.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/batch_tensors/torch_batch.h"
#include "trainer_client/torch/tasks/node/label_scan.h"

namespace tributary {
namespace {

// Returns an error that shows the first of the wrong labels.
absl::Status WrongLabel(const at::Tensor& labels, const at::Tensor& wrong,
                        absl::string_view allowed) {
  return absl::OutOfRangeError(absl::StrCat(
      "an input has the label ", labels.masked_select(wrong)[0].item<double>(),
      "; allowed ", allowed));
}

// Returns the labels of the batch's inputs.
absl::StatusOr<at::Tensor> LabelsOfInputs(const BatchLease& lease,
                                          const GraphSchema& schema) {
  ASSIGN_OR_RETURN(const HeteroBatch batch, ToTypedBatch(lease.view(), schema));
  const auto nodes = batch.nodes.find(batch.input_type);
  if (nodes == batch.nodes.end() || !nodes->second.y.has_value()) {
    return absl::InvalidArgumentError(
        "the batch has no labels (y) to train on");
  }
  ASSIGN_OR_RETURN(const at::Tensor y, ToTorch(*nodes->second.y, lease.room()));
  const auto seeds = static_cast<int64_t>(batch.seed_index.size());
  at::Tensor index = at::empty({seeds}, at::kInt);
  for (int64_t i = 0; i < seeds; ++i) {
    const int32_t seed = batch.seed_index[static_cast<size_t>(i)];
    if (seed < 0 || seed >= y.size(0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "seed_index has ", seed, "; allowed: 0 to ", y.size(0), " - 1"));
    }
    index.mutable_data_ptr<int32_t>()[i] = seed;
  }
  return y.index_select(0, index);
}

absl::StatusOr<LabelScan> Scan(NodeTaskKind kind, int64_t columns,
                               const at::Tensor& y) {
  LabelScan scan;
  if (kind == NodeTaskKind::kClassification) {
    ASSIGN_OR_RETURN(const at::Tensor labels, ClassLabels(y));
    if (labels.numel() == 0) return scan;
    scan.largest = labels.max().item<int64_t>();
    scan.any = (labels != kNoLabel).any().item<bool>();
    return scan;
  }
  at::Tensor labels = NumberLabels(y, columns);
  if (kind == NodeTaskKind::kMultiLabel) {
    ASSIGN_OR_RETURN(labels, ZeroOneLabels(y, columns));
  }
  scan.any = labels.isnan().logical_not().any().item<bool>();
  return scan;
}

}  // namespace

absl::StatusOr<at::Tensor> ClassLabels(const at::Tensor& y) {
  if (y.numel() != y.size(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels of ", y.numel() / y.size(0),
                     " columns; allowed with --task node: one class a row"));
  }
  const at::Tensor flat = y.reshape({-1});
  if (!flat.is_floating_point()) return flat.to(at::kLong);
  const at::Tensor numbers =
      flat.to(at::kDouble).masked_fill(flat.isnan(), double{kNoLabel});
  // Above 2^53 a double does not tell one whole number from the next.
  const at::Tensor wrong =
      (numbers != numbers.trunc()) | (numbers.abs() > 0x1p53);
  if (!wrong.any().item<bool>()) return numbers.to(at::kLong);
  return WrongLabel(numbers, wrong,
                    "with --task node: whole numbers, and -1 or NaN for none");
}

at::Tensor NumberLabels(const at::Tensor& y, int64_t columns) {
  return y.to(at::kFloat).reshape({y.size(0), columns});
}

absl::StatusOr<at::Tensor> ZeroOneLabels(const at::Tensor& y, int64_t columns) {
  at::Tensor labels = NumberLabels(y, columns);
  labels = labels.masked_fill(labels == kNoLabel, NAN);
  const at::Tensor wrong =
      labels.isnan().logical_not() & (labels != 0) & (labels != 1);
  if (!wrong.any().item<bool>()) return labels;
  return WrongLabel(labels, wrong,
                    "with --task multilabel: 0, 1, and -1 or NaN for none");
}

absl::StatusOr<LabelScan> ScanLabels(NodeTaskKind kind, int64_t columns,
                                     const BatchLease& lease,
                                     const GraphSchema& schema) {
  LabelScan scan;
  RETURN_IF_ERROR(CatchTorch("labels", [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const at::Tensor y, LabelsOfInputs(lease, schema));
    ASSIGN_OR_RETURN(scan, Scan(kind, columns, y));
    return absl::OkStatus();
  }));
  return scan;
}

}  // namespace tributary
