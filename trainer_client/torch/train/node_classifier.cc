#include "trainer_client/torch/train/node_classifier.h"

#include <ATen/ATen.h>
#include <torch/optim/adam.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/ddp.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/nn/graph_sage.h"
#include "trainer_client/torch/tensors/catch_torch.h"
#include "trainer_client/torch/tensors/csr_block.h"
#include "trainer_client/torch/tensors/device_copies.h"
#include "trainer_client/torch/tensors/tensors.h"
#include "trainer_client/torch/train/train_device.h"

namespace tributary {
namespace {

constexpr int64_t kNoLabel = -1;

// A batch as the model takes it.
struct Example {
  at::Tensor x;
  std::vector<TorchBlock> blocks;
  at::Tensor positions;  // int32: the row of each input
  at::Tensor labels;     // int64, per input
  int64_t labelled = 0;
  int64_t inputs = 0;
};

absl::StatusOr<at::Tensor> LabelsOf(const TorchBatch& batch) {
  if (!batch.y.defined() || batch.y.dim() != 1 ||
      batch.y.scalar_type() != at::kLong) {
    return absl::InvalidArgumentError(
        "node classification needs labels that are one whole number a node; "
        "the batches' y is none, or has several columns, or fractions");
  }
  return batch.y.index_select(0, batch.seed_index);
}

// cross_entropy would say only that a target is out of bounds.
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

// Of what is on the model's device, as it came.
at::Tensor Features(const at::Tensor& stored, const at::Tensor& scale,
                    bool row_normalize) {
  at::Tensor x = Dequantized(stored, scale);
  if (x.dim() == 1) x = x.unsqueeze(1);
  if (!row_normalize) return x;
  const at::Tensor sums = x.sum(1, /*keepdim=*/true);
  return x / sums.masked_fill(sums == 0, 1);
}

absl::StatusOr<Example> MakeExample(const BatchLease& lease,
                                    const TrainOptions& options,
                                    int64_t num_classes,
                                    const c10::Device& device,
                                    DeviceCopies& copies) {
  ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(lease));
  if (!batch.x.defined()) {
    return absl::InvalidArgumentError("the graph has no features to train on");
  }
  // Under way while labels are checked and blocks are made.
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> moved,
                   copies.Start({batch.x, batch.x_scale, batch.seed_index}));
  Example example;
  ASSIGN_OR_RETURN(const at::Tensor labels, LabelsOf(batch));
  RETURN_IF_ERROR(CheckLabels(labels, num_classes));
  ASSIGN_OR_RETURN(example.blocks, BlocksOf(batch, options.expand_all, device));
  example.x = Features(moved[0], moved[1], options.row_normalize);
  example.positions = moved[2];
  example.labels = labels.to(device);
  example.inputs = labels.numel();
  example.labelled = (labels != kNoLabel).sum().item<int64_t>();
  return example;
}

// Any bit of either changes every number drawn.
uint64_t DropoutSeed(uint64_t random_seed, int rank) {
  uint64_t z = random_seed + 0x9e3779b97f4a7c15 * (rank + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

struct NodeClassifier::State {
  TrainOptions options;
  int64_t num_classes = 0;
  ProcessGroup* group = nullptr;
  at::Device device{at::kCPU};
  std::unique_ptr<DeviceCopies> copies;  // of batches to it
  GraphSage model{nullptr};
  std::unique_ptr<torch::optim::Adam> optimizer;
  std::unique_ptr<DistributedDataParallel> ddp;
  std::vector<at::Tensor> remembered;

  // Optimizer::zero_grad would detach in place, which views of the reducer's
  // buckets do not allow.
  void DropGradients() {
    for (at::Tensor& p : model->parameters()) p.mutable_grad().reset();
  }

  absl::StatusOr<Example> ExampleOf(const BatchLease& lease) {
    return MakeExample(lease, options, num_classes, device, *copies);
  }

  at::Tensor Logits(const Example& example) {
    return model->forward(example.x, example.blocks)
        .index_select(0, example.positions);
  }

  at::Tensor SummedLoss(const at::Tensor& logits, const at::Tensor& labels) {
    return at::cross_entropy_loss(logits, labels, /*weight=*/{},
                                  at::Reduction::Sum, kNoLabel);
  }

  Tally TallyOf(const Example& example, const at::Tensor& logits,
                const at::Tensor& loss) {
    const at::Tensor right = logits.argmax(1) == example.labels;
    return {.loss = loss.item<double>(),
            .correct = right.sum().item<double>(),
            .labelled = static_cast<double>(example.labelled),
            .inputs = static_cast<double>(example.inputs)};
  }
};

NodeClassifier::NodeClassifier(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

NodeClassifier::~NodeClassifier() = default;

absl::StatusOr<std::unique_ptr<NodeClassifier>> NodeClassifier::Create(
    const TrainOptions& options, int64_t in_channels, int64_t num_classes,
    ProcessGroup* group) {
  auto state = std::make_unique<State>();
  state->options = options;
  state->num_classes = num_classes;
  state->group = group;
  ASSIGN_OR_RETURN(state->device, TrainDevice(options, group->local_rank()));
  state->copies = std::make_unique<DeviceCopies>(state->device);
  RETURN_IF_ERROR(CatchTorch("model", [&] {
    at::manual_seed(options.random_seed);
    state->model =
        GraphSage(GraphSageOptions{.in_channels = in_channels,
                                   .hidden_channels = options.hidden_channels,
                                   .out_channels = num_classes,
                                   .num_layers = options.num_layers,
                                   .dropout = options.dropout,
                                   .input_dropout = options.input_dropout});
    state->model->to(state->device);
    state->optimizer = std::make_unique<torch::optim::Adam>(
        state->model->parameters(),
        torch::optim::AdamOptions(options.learning_rate)
            .weight_decay(options.weight_decay));
    at::manual_seed(DropoutSeed(options.random_seed, group->rank()));
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(state->ddp, DistributedDataParallel::Create(
                                   state->model->parameters(), group));
  return std::unique_ptr<NodeClassifier>(new NodeClassifier(std::move(state)));
}

absl::StatusOr<Tally> NodeClassifier::Step(const BatchLease* lease,
                                           uint64_t round_inputs) {
  State& s = *state_;
  Tally tally;
  RETURN_IF_ERROR(CatchTorch("step", [&] {
    s.model->train();
    s.DropGradients();
    if (lease == nullptr) {
      RETURN_IF_ERROR(s.ddp->BackwardOfNothing());
    } else {
      ASSIGN_OR_RETURN(const Example example, s.ExampleOf(*lease));
      const at::Tensor logits = s.Logits(example);
      const at::Tensor loss = s.SummedLoss(logits, example.labels);
      // DDP divides by world: what is left is the mean over the round.
      RETURN_IF_ERROR(s.ddp->Backward(
          loss * (s.group->world() / static_cast<double>(round_inputs))));
      tally = s.TallyOf(example, logits, loss);
    }
    s.optimizer->step();
    // The tally has waited for the device: the batch's slot may go.
    return s.copies->Poll();
  }));
  return tally;
}

absl::StatusOr<Tally> NodeClassifier::Evaluate(const BatchLease& lease) {
  State& s = *state_;
  Tally tally;
  RETURN_IF_ERROR(CatchTorch("evaluate", [&] {
    const torch::NoGradGuard no_grad;
    s.model->eval();
    ASSIGN_OR_RETURN(const Example example, s.ExampleOf(lease));
    const at::Tensor logits = s.Logits(example);
    // A class that no training input has is in no row of the model: wrong, no
    // error, and without a loss.
    tally = s.TallyOf(example, logits, at::zeros({}));
    return s.copies->Poll();
  }));
  return tally;
}

absl::StatusOr<int64_t> NodeClassifier::LargestLabel(const BatchLease& lease) {
  int64_t largest = kNoLabel;
  RETURN_IF_ERROR(CatchTorch("labels", [&] {
    ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(lease));
    ASSIGN_OR_RETURN(const at::Tensor labels, LabelsOf(batch));
    if (labels.numel() > 0) largest = labels.max().item<int64_t>();
    return absl::OkStatus();
  }));
  return largest;
}

void NodeClassifier::Remember() {
  state_->remembered.clear();
  for (const at::Tensor& p : state_->model->parameters()) {
    state_->remembered.push_back(p.detach().clone());
  }
}

void NodeClassifier::Recall() {
  const std::vector<at::Tensor> parameters = state_->model->parameters();
  for (size_t i = 0; i < state_->remembered.size(); ++i) {
    parameters[i].detach().copy_(state_->remembered[i]);
  }
}

}  // namespace tributary
