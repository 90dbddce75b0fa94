#include "trainer_client/torch/train/node_classifier.h"

#include <ATen/ATen.h>
#include <torch/optim/adam.h>

#include <utility>
#include <vector>

#include "common/text/status.h"
#include "trainer_client/torch/ddp/ddp.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/nn/graph_sage.h"
#include "trainer_client/torch/tensors/catch_torch.h"
#include "trainer_client/torch/tensors/device_copies.h"
#include "trainer_client/torch/tensors/tensors.h"
#include "trainer_client/torch/train/node_example.h"
#include "trainer_client/torch/train/train_device.h"

namespace tributary {
namespace {

// Mixes both, so that any bit of either changes every number drawn
// (the finaliser of splitmix64).
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
  std::unique_ptr<DeviceCopies> copies;  // of batches to `device`
  GraphSage model{nullptr};
  std::unique_ptr<torch::optim::Adam> optimizer;
  std::unique_ptr<DistributedDataParallel> ddp;
  std::vector<at::Tensor> saved_parameters;

  // Optimizer::zero_grad would detach in place, which views of the reducer's
  // buckets do not allow.
  void DropGradients() {
    for (at::Tensor& p : model->parameters()) p.mutable_grad().reset();
  }

  absl::StatusOr<NodeExample> ExampleOf(const BatchLease& lease) {
    return MakeNodeExample(lease, options, num_classes, device, *copies);
  }

  at::Tensor Logits(const NodeExample& example) {
    return model->forward(example.x, example.blocks)
        .index_select(0, example.positions);
  }

  at::Tensor SummedLoss(const at::Tensor& logits, const at::Tensor& labels) {
    return at::cross_entropy_loss(logits, labels, /*weight=*/{},
                                  at::Reduction::Sum, kNoLabel);
  }

  Tally TallyOf(const NodeExample& example, const at::Tensor& logits,
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
      ASSIGN_OR_RETURN(const NodeExample example, s.ExampleOf(*lease));
      const at::Tensor logits = s.Logits(example);
      const at::Tensor loss = s.SummedLoss(logits, example.labels);
      // DDP divides by world, which leaves the mean over the round's inputs.
      RETURN_IF_ERROR(s.ddp->Backward(
          loss * (s.group->world() / static_cast<double>(round_inputs))));
      tally = s.TallyOf(example, logits, loss);
    }
    s.optimizer->step();
    // The tally has waited for the device, so the batch's slot is released.
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
    ASSIGN_OR_RETURN(const NodeExample example, s.ExampleOf(lease));
    const at::Tensor logits = s.Logits(example);
    // No loss: a label of a class that no training input has would make it an
    // error; here it only counts as wrong.
    tally = s.TallyOf(example, logits, at::zeros({}));
    return s.copies->Poll();
  }));
  return tally;
}

absl::StatusOr<int64_t> NodeClassifier::LargestLabel(const BatchLease& lease) {
  int64_t largest = kNoLabel;
  RETURN_IF_ERROR(CatchTorch("labels", [&] {
    ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(lease));
    ASSIGN_OR_RETURN(const at::Tensor labels, InputLabels(batch));
    if (labels.numel() > 0) largest = labels.max().item<int64_t>();
    return absl::OkStatus();
  }));
  return largest;
}

void NodeClassifier::SaveParameters() {
  state_->saved_parameters.clear();
  for (const at::Tensor& p : state_->model->parameters()) {
    state_->saved_parameters.push_back(p.detach().clone());
  }
}

void NodeClassifier::RestoreParameters() {
  const std::vector<at::Tensor> parameters = state_->model->parameters();
  for (size_t i = 0; i < state_->saved_parameters.size(); ++i) {
    parameters[i].detach().copy_(state_->saved_parameters[i]);
  }
}

}  // namespace tributary
