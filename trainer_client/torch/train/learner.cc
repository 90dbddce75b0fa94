#include "trainer_client/torch/train/learner.h"

#include <ATen/ATen.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include <utility>
#include <vector>

#include "common/text/status.h"
#include "trainer_client/torch/ddp/ddp.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/nn/make_model.h"
#include "trainer_client/torch/tasks/node_task.h"
#include "trainer_client/torch/tasks/task.h"
#include "trainer_client/torch/tensors/catch_torch.h"
#include "trainer_client/torch/tensors/device_copies.h"
#include "trainer_client/torch/tensors/mini_batch.h"
#include "trainer_client/torch/train/train_device.h"

namespace tributary {

struct Learner::State {
  TrainOptions options;
  GraphSchema schema;
  TypeTable types;
  ProcessGroup* group = nullptr;
  at::Device device{at::kCPU};
  std::unique_ptr<DeviceCopies> copies;  // of batches to `device`
  std::shared_ptr<GnnModel> model;
  std::unique_ptr<Task> task;
  std::vector<at::Tensor> parameters;  // of model and task
  std::unique_ptr<torch::optim::Adam> optimizer;
  std::unique_ptr<DistributedDataParallel> ddp;
  std::vector<at::Tensor> saved_parameters;

  // Optimizer::zero_grad would detach in place, which views of the reducer's
  // buckets do not allow.
  void DropGradients() {
    for (at::Tensor& p : parameters) p.mutable_grad().reset();
  }

  void SetTraining(bool training) {
    model->train(training);
    if (const auto decoder = task->decoder()) decoder->train(training);
  }

  absl::StatusOr<MiniBatch> BatchOf(const BatchLease& lease, uint64_t epoch) {
    return MakeMiniBatch(lease, schema, types,
                         {.expand_all = options.expand_all,
                          .row_normalize = options.row_normalize,
                          .random_seed = options.random_seed,
                          .epoch = epoch},
                         device, *copies);
  }

  void TakeOptimizerStep(double learning_rate) {
    if (options.clip_grad_norm > 0) {
      torch::nn::utils::clip_grad_norm_(parameters, options.clip_grad_norm);
    }
    for (auto& group : optimizer->param_groups()) {
      group.options().set_lr(learning_rate);
    }
    optimizer->step();
  }

  void CollectParameters() {
    parameters = model->parameters();
    if (const auto decoder = task->decoder()) {
      const std::vector<at::Tensor> more = decoder->parameters();
      parameters.insert(parameters.end(), more.begin(), more.end());
    }
  }
};

Learner::Learner(std::unique_ptr<State> state) : state_(std::move(state)) {}

Learner::~Learner() = default;

absl::StatusOr<std::unique_ptr<Learner>> Learner::Create(
    const TrainOptions& options, const GraphSchema& schema,
    const NodeTaskOptions& task, ProcessGroup* group) {
  std::unique_ptr<Task> made = MakeNodeTask(task);
  ModelOptions model = options.model;
  model.out_channels = made->out_channels();
  ASSIGN_OR_RETURN(
      std::shared_ptr<GnnModel> net,
      MakeModel(model, TypeTable::From(schema), options.random_seed));
  return Create(options, schema, std::move(net), std::move(made), group);
}

absl::StatusOr<std::unique_ptr<Learner>> Learner::Create(
    const TrainOptions& options, const GraphSchema& schema,
    std::shared_ptr<GnnModel> model, std::unique_ptr<Task> task,
    ProcessGroup* group) {
  auto state = std::make_unique<State>();
  State& s = *state;
  s.options = options;
  s.schema = schema;
  s.types = TypeTable::From(schema);
  s.group = group;
  s.model = std::move(model);
  s.task = std::move(task);
  ASSIGN_OR_RETURN(s.device, TrainDevice(options, group->local_rank()));
  s.copies = std::make_unique<DeviceCopies>(s.device);
  RETURN_IF_ERROR(CatchTorch("model", [&] {
    s.model->to(s.device);
    if (const auto decoder = s.task->decoder()) decoder->to(s.device);
    s.CollectParameters();
    s.optimizer = std::make_unique<torch::optim::Adam>(
        s.parameters, torch::optim::AdamOptions(options.learning_rate)
                          .weight_decay(options.weight_decay));
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(s.ddp, DistributedDataParallel::Create(s.parameters, group));
  return std::unique_ptr<Learner>(new Learner(std::move(state)));
}

absl::StatusOr<Tally> Learner::Step(const BatchLease* lease,
                                    const StepPlace& place) {
  State& s = *state_;
  Tally tally;
  RETURN_IF_ERROR(CatchTorch("step", [&] {
    s.SetTraining(true);
    s.DropGradients();
    if (lease == nullptr) {
      RETURN_IF_ERROR(s.ddp->BackwardOfNothing());
    } else {
      ASSIGN_OR_RETURN(const MiniBatch batch, s.BatchOf(*lease, place.epoch));
      ASSIGN_OR_RETURN(const at::Tensor loss,
                       s.task->Loss(batch, s.model->Forward(batch), &tally));
      // DDP divides by world, which leaves the mean over the round's inputs.
      RETURN_IF_ERROR(s.ddp->Backward(
          loss * (s.group->world() / static_cast<double>(place.round_inputs))));
    }
    s.TakeOptimizerStep(place.learning_rate);
    // The tally has waited for the device, so the batch's slot is released.
    return s.copies->Poll();
  }));
  return tally;
}

absl::Status Learner::Evaluate(const BatchLease& lease, PredictionRows* rows) {
  State& s = *state_;
  return CatchTorch("evaluate", [&] {
    const torch::NoGradGuard no_grad;
    s.SetTraining(false);
    ASSIGN_OR_RETURN(const MiniBatch batch, s.BatchOf(lease, 0));
    RETURN_IF_ERROR(s.task->Predict(batch, s.model->Forward(batch), rows));
    return s.copies->Poll();
  });
}

void Learner::SaveParameters() {
  state_->saved_parameters.clear();
  for (const at::Tensor& p : state_->parameters) {
    state_->saved_parameters.push_back(p.detach().clone());
  }
}

void Learner::RestoreParameters() {
  for (size_t i = 0; i < state_->saved_parameters.size(); ++i) {
    state_->parameters[i].detach().copy_(state_->saved_parameters[i]);
  }
}

int64_t Learner::num_parameters() const {
  int64_t count = 0;
  for (const at::Tensor& p : state_->parameters) count += p.numel();
  return count;
}

}  // namespace tributary
