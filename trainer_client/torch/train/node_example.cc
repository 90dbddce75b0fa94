#include "trainer_client/torch/train/node_example.h"

#include <ATen/ATen.h>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/tensors/csr_block.h"

namespace tributary {
namespace {

// Checked here, for cross_entropy says only that a target is out of bounds.
absl::Status CheckLabels(const at::Tensor& labels, int64_t num_classes) {
  const at::Tensor wrong =
      (labels != kNoLabel) & ((labels < 0) | (labels >= num_classes));
  if (!wrong.any().item<bool>()) return absl::OkStatus();
  const auto label = labels.masked_select(wrong)[0].item<int64_t>();
  return absl::OutOfRangeError(
      absl::StrCat("an input has the label ", label, "; allowed: 0 to ",
                   num_classes - 1, ", the model's classes (--num-classes ",
                   num_classes, "), and -1 for none"));
}

absl::StatusOr<std::vector<TorchBlock>> BlocksOf(const TorchBatch& batch,
                                                 bool expand_all,
                                                 const c10::Device& device) {
  const size_t edges = batch.e_id.numel();
  const int32_t* ends = batch.edge_index.const_data_ptr<int32_t>();
  ASSIGN_OR_RETURN(const std::vector<CsrBlock> blocks,
                   LayerBlocks({.src = {ends, edges},
                                .dst = {ends + edges, edges},
                                .nodes = batch.num_sampled_nodes,
                                .edges = batch.num_sampled_edges,
                                .expand_all = expand_all}));
  std::vector<TorchBlock> result;
  for (const CsrBlock& block : blocks) {
    result.push_back(TorchBlock::From(block, device));
  }
  return result;
}

// Returns the model's input from features as they were delivered, already on
// the device.
at::Tensor Features(const at::Tensor& stored, const at::Tensor& scale,
                    bool row_normalize) {
  at::Tensor x = Dequantized(stored, scale);
  if (x.dim() == 1) x = x.unsqueeze(1);
  if (!row_normalize) return x;
  const at::Tensor sums = x.sum(1, /*keepdim=*/true);
  return x / sums.masked_fill(sums == 0, 1);
}

}  // namespace

absl::StatusOr<at::Tensor> InputLabels(const TorchBatch& batch) {
  if (!batch.y.defined() || batch.y.dim() != 1 ||
      batch.y.scalar_type() != at::kLong) {
    return absl::InvalidArgumentError(
        "node classification needs labels of one whole number per node; y "
        "is missing, has several columns or is not integral");
  }
  return batch.y.index_select(0, batch.seed_index);
}

absl::StatusOr<NodeExample> MakeNodeExample(const BatchLease& lease,
                                            const TrainOptions& options,
                                            int64_t num_classes,
                                            const c10::Device& device,
                                            DeviceCopies& copies) {
  ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(lease));
  if (!batch.x.defined()) {
    return absl::InvalidArgumentError("the graph has no features to train on");
  }
  // The copies run while labels are checked and blocks are made.
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> moved,
                   copies.Start({batch.x, batch.x_scale, batch.seed_index}));
  NodeExample example;
  ASSIGN_OR_RETURN(const at::Tensor labels, InputLabels(batch));
  RETURN_IF_ERROR(CheckLabels(labels, num_classes));
  ASSIGN_OR_RETURN(example.blocks, BlocksOf(batch, options.expand_all, device));
  example.x = Features(moved[0], moved[1], options.row_normalize);
  example.positions = moved[2];
  example.labels = labels.to(device);
  example.inputs = labels.numel();
  example.labelled = (labels != kNoLabel).sum().item<int64_t>();
  return example;
}

}  // namespace tributary
