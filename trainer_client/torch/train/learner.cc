#include "trainer_client/torch/train/learner.h"

#include <ATen/ATen.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/batch_tensors/device_copies.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/checkpoint/tensor_file.h"
#include "trainer_client/torch/ddp/agree.h"
#include "trainer_client/torch/ddp/ddp.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/embedding/dist_input_embedding.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/nn/make_model.h"
#include "trainer_client/torch/tasks/link_task.h"
#include "trainer_client/torch/tasks/node/node_task.h"
#include "trainer_client/torch/tasks/training_task.h"
#include "trainer_client/torch/train/autocast.h"
#include "trainer_client/torch/train/step_times.h"
#include "trainer_client/torch/train/train_device.h"

namespace tributary {

namespace {

// Returns the types as the model reads them.
TypeTable TypesOf(const TrainOptions& options, const GraphSchema& schema) {
  TypeTable types = TypeTable::From(schema);
  if (options.ignores_features()) {
    std::fill(types.feature_dim.begin(), types.feature_dim.end(), 0);
  }
  return types;
}

}  // namespace

struct Learner::State {
  TrainOptions options;
  GraphSchema schema;
  TypeTable types;
  ProcessGroup* group = nullptr;
  at::Device device{at::kCPU};
  std::unique_ptr<DeviceCopies> copies;  // of batches to `device`
  std::shared_ptr<GnnModel> model;
  std::unique_ptr<TrainingTask> task;
  std::vector<std::string> names;      // of the parameters
  std::vector<at::Tensor> parameters;  // of model and task
  std::unique_ptr<torch::optim::Adam> optimizer;
  std::unique_ptr<DistributedDataParallel> ddp;
  std::vector<at::Tensor> saved_parameters;
  std::shared_ptr<DistInputEmbedding> rows;  // null: none on servers

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

  absl::Status Backward(const at::Tensor& loss, const RoundPlace& place,
                        std::function<void()> computed) {
    // DDP divides by world, which leaves the mean over the step's inputs.
    const at::Tensor scaled =
        loss * (group->world() / static_cast<double>(place.step_inputs));
    if (place.ends_step) return ddp->Backward(scaled, std::move(computed));
    RETURN_IF_ERROR(ddp->Accumulate(scaled));
    computed();
    return absl::OkStatus();
  }

  // Returns the cause of an error that LibTorch has carried as an exception.
  absl::Status CauseOf(const absl::Status& status) const {
    return status.ok() || rows == nullptr || rows->status().ok()
               ? status
               : rows->status();
  }

  // Begins to read the rows on the servers that the next batch needs. Changes
  // no value.
  absl::Status ReadAhead(const BatchLease& next) {
    if (rows == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(const HeteroBatch batch,
                     ToTypedBatch(next.view(), schema));
    for (size_t t = 0; t < types.node_types.size(); ++t) {
      const auto nodes = batch.nodes.find(types.node_types[t]);
      if (nodes != batch.nodes.end()) rows->Prefetch(t, nodes->second.n_id);
    }
    return absl::OkStatus();
  }

  // Stages the gradients of the batch's rows. Each batch of a step has a place
  // of its own, so that the sum's order is a function of the batches.
  absl::Status PushRows(const RoundPlace& place, std::string* not_finite) {
    if (rows == nullptr) return absl::OkStatus();
    const auto world = static_cast<uint64_t>(group->world());
    SparseOptimizer& sparse = rows->optimizer();
    sparse.set_learning_rate(place.sparse_learning_rate);
    sparse.set_scale(1.0 / static_cast<double>(world));  // as DDP
    const absl::Status status = sparse.Push(static_cast<uint32_t>(
        place.round_in_step * world + static_cast<uint64_t>(group->rank())));
    if (!absl::IsOutOfRange(status)) return status;
    *not_finite = std::string(status.message());
    return absl::OkStatus();
  }

  // Takes the step of parameters and rows. Returns what is not finite in
  // `not_finite`: no step was taken then.
  absl::Status TakeStep(const RoundPlace& place, std::string* not_finite) {
    *not_finite = TakeOptimizerStep(place.learning_rate);
    if (rows == nullptr || !not_finite->empty()) return absl::OkStatus();
    return rows->optimizer().Close();
  }

  // Returns the model's output, in float32.
  TypeTensors Forward(const MiniBatch& batch) {
    if (options.amp == "none") return model->Forward(batch);
    TypeTensors out;
    {
      const Autocast bf16(device.type(), at::kBFloat16);
      out = model->Forward(batch);
    }
    for (at::Tensor& rows : out) {
      if (rows.defined()) rows = rows.to(at::kFloat);
    }
    return out;
  }

  // Returns what is not finite; empty: the step was taken.
  std::string TakeOptimizerStep(double learning_rate) {
    if (options.clip_grad_norm > 0) {
      const double norm =
          torch::nn::utils::clip_grad_norm_(parameters, options.clip_grad_norm);
      if (!std::isfinite(norm)) {
        return absl::StrFormat("the norm of the gradients is %g", norm);
      }
    }
    for (auto& group : optimizer->param_groups()) {
      group.options().set_lr(learning_rate);
    }
    optimizer->step();
    return "";
  }

  void CollectParameters() {
    for (const auto& p : model->named_parameters()) {
      Add(p.key(), p.value());
    }
    if (const auto decoder = task->decoder()) {
      for (const auto& p : decoder->named_parameters()) {
        Add("decoder." + p.key(), p.value());
      }
    }
  }
  void Add(const std::string& name, const at::Tensor& parameter) {
    names.push_back(name);
    parameters.push_back(parameter);
  }

  NamedTensors Named(const std::vector<at::Tensor>& tensors) const {
    NamedTensors named;
    for (size_t i = 0; i < names.size(); ++i) {
      named.emplace_back(names[i], tensors[i]);
    }
    return named;
  }

  // Returns what a reader of the parameters cannot see in them, under PyG's
  // names where PyG has one (docs/training.md#saved-models).
  SafetensorsMetadata ModelMetadata() const {
    SafetensorsMetadata metadata{{"format", "pt"}};
    if (options.make_model) return metadata;  // it has options of its own
    const ModelOptions& m = options.model;
    metadata["model"] = m.model;
    if (m.layer_norm) {
      metadata["norm"] = "layer_norm";
      metadata["norm_kwargs"] = R"({"mode": "node"})";
    }
    if (m.model == "sage") metadata["aggr"] = m.aggr;
    if (m.model == "gcn") metadata["gcn_norm"] = m.norm;
    if (options.row_normalize) metadata["row_normalize"] = "true";
    return metadata;
  }

  // Adam's state of a parameter, made if the optimizer has taken no step yet.
  torch::optim::AdamParamState& AdamStateOf(const at::Tensor& p) {
    auto& state = optimizer->state()[p.unsafeGetTensorImpl()];
    if (state == nullptr) {
      auto made = std::make_unique<torch::optim::AdamParamState>();
      made->step(0);
      made->exp_avg(at::zeros_like(p, at::MemoryFormat::Preserve));
      made->exp_avg_sq(at::zeros_like(p, at::MemoryFormat::Preserve));
      state = std::move(made);
    }
    return static_cast<torch::optim::AdamParamState&>(*state);
  }

  // The optimizer's tensors; its step counts in `steps`, [parameters].
  NamedTensors OptimizerTensors(at::Tensor* steps) {
    NamedTensors tensors;
    *steps = at::empty({static_cast<int64_t>(names.size())}, at::kLong);
    for (size_t i = 0; i < names.size(); ++i) {
      torch::optim::AdamParamState& state = AdamStateOf(parameters[i]);
      (*steps)[i] = state.step();
      tensors.emplace_back("exp_avg/" + names[i], state.exp_avg());
      tensors.emplace_back("exp_avg_sq/" + names[i], state.exp_avg_sq());
    }
    tensors.emplace_back("step", *steps);
    return tensors;
  }
  void SetOptimizerSteps(const at::Tensor& steps) {
    for (size_t i = 0; i < names.size(); ++i) {
      AdamStateOf(parameters[i]).step(steps[i].item<int64_t>());
    }
  }

  // Runs on rank 0. Sets rows only after all of the file has been checked.
  absl::Status ReadExport(const std::string& path) {
    return CatchTorch("load", [&]() -> absl::Status {
      NamedTensors tables;
      if (rows != nullptr) tables = rows->MakeTables();
      NamedTensors all = Named(parameters);
      all.insert(all.end(), tables.begin(), tables.end());
      RETURN_IF_ERROR(LoadTensors(path, all));
      return rows != nullptr ? rows->SetAll(tables) : absl::OkStatus();
    });
  }

  void MakeRoomForSaved() {
    if (!saved_parameters.empty()) return;
    for (const at::Tensor& p : parameters) {
      saved_parameters.push_back(at::empty_like(p.detach()));
    }
  }
};

namespace {

absl::StatusOr<std::unique_ptr<TrainingTask>> MakeTask(
    const TaskOptions& task, const GraphSchema& schema, uint64_t random_seed) {
  if (const auto* links = std::get_if<LinkTaskOptions>(&task)) {
    return MakeLinkTask(*links, TypeTable::From(schema), random_seed);
  }
  return MakeNodeTask(std::get<NodeTaskOptions>(task));
}

DistInputOptions RowsOptions(const TrainOptions& options) {
  const SparseEmbeddingOptions& sparse = options.sparse;
  const bool adam = sparse.optimizer == "adam";
  return {.channels = options.model.hidden_channels,
          .random_seed = options.random_seed,
          .optimizer = adam ? SparseOptimizerKind::kAdam
                       : sparse.optimizer == "adagrad"
                           ? SparseOptimizerKind::kAdagrad
                           : SparseOptimizerKind::kSgd,
          .step = {.learning_rate = sparse.learning_rate,
                   .eps = adam ? 1e-8 : 1e-10}};
}

// Returns the model's module of that class; null: it has none.
std::shared_ptr<DistInputEmbedding> RowsOfModel(const GnnModel& model) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    auto rows = std::dynamic_pointer_cast<DistInputEmbedding>(module);
    if (rows != nullptr) return rows;
  }
  return nullptr;
}

// Copies the rows `out` of the first nodes of `n_id` to their places.
void CopyRows(const at::Tensor& out, const at::Tensor& n_id, size_t type,
              EntityRows* rows) {
  const at::Tensor values = out.to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor ids = n_id.to(at::kCPU);
  const int64_t n = values.size(0), channels = values.size(1);
  std::vector<float>& to = rows->by_type.at(type);
  if (rows->channels == 0) rows->channels = channels;
  to.resize(static_cast<size_t>(rows->num_nodes.at(type) * channels));
  const float* from = values.const_data_ptr<float>();
  const int64_t* id = ids.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    TORCH_CHECK(id[i] >= 0 && id[i] < rows->num_nodes[type], "node ", id[i],
                " of ", rows->num_nodes[type]);
    std::copy_n(from + i * channels, channels, to.begin() + id[i] * channels);
  }
}

}  // namespace

Learner::Learner(std::unique_ptr<State> state) : state_(std::move(state)) {}

Learner::~Learner() = default;

absl::StatusOr<std::unique_ptr<Learner>> Learner::Create(
    const TrainOptions& options, const GraphSchema& schema,
    const TaskOptions& task, ProcessGroup* group, DistContext* context) {
  ASSIGN_OR_RETURN(std::unique_ptr<TrainingTask> made,
                   MakeTask(task, schema, options.random_seed));
  ModelOptions model = options.model;
  model.out_channels = made->out_channels();
  const TypeTable types = TypesOf(options, schema);
  std::shared_ptr<DistInputEmbedding> rows;
  if (options.sparse.enabled) {
    ASSIGN_OR_RETURN(
        rows, DistInputEmbedding::Create(context, types, RowsOptions(options)));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<GnnModel> net,
                   options.make_model
                       ? options.make_model(model, types, options.random_seed)
                       : MakeModel(model, types, options.random_seed, rows));
  return Create(options, schema, std::move(net), std::move(made), group);
}

absl::StatusOr<std::unique_ptr<Learner>> Learner::Create(
    const TrainOptions& options, const GraphSchema& schema,
    std::shared_ptr<GnnModel> model, std::unique_ptr<TrainingTask> task,
    ProcessGroup* group) {
  auto state = std::make_unique<State>();
  State& s = *state;
  s.options = options;
  s.schema = schema;
  s.types = TypesOf(options, schema);
  s.group = group;
  s.model = std::move(model);
  s.task = std::move(task);
  ASSIGN_OR_RETURN(s.device, TrainDevice(options, group->local_rank()));
  s.copies = std::make_unique<DeviceCopies>(s.device);
  RETURN_IF_ERROR(CatchTorch("model", [&]() -> absl::Status {
    s.model->to(s.device);
    if (const auto decoder = s.task->decoder()) decoder->to(s.device);
    s.CollectParameters();
    s.rows = RowsOfModel(*s.model);
    if (s.parameters.empty()) {
      return absl::InvalidArgumentError(
          "model and task have no parameters but rows on the servers; allowed: "
          "a model with layers, or a decoder with parameters");
    }
    s.optimizer = std::make_unique<torch::optim::Adam>(
        s.parameters, torch::optim::AdamOptions(options.learning_rate)
                          .weight_decay(options.weight_decay));
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(s.ddp, DistributedDataParallel::Create(s.parameters, group));
  return std::unique_ptr<Learner>(new Learner(std::move(state)));
}

absl::StatusOr<RoundResult> Learner::Round(const BatchLease* lease,
                                           const RoundPlace& place,
                                           StepTimer& timer,
                                           const BatchLease* next,
                                           Agree agree) {
  State& s = *state_;
  RoundResult result;
  const auto computed = [&timer] { timer.Lap(StepPhase::kBackward); };
  const absl::Status status = CatchTorch("step", [&] {
    s.SetTraining(true);
    if (place.begins_step) s.optimizer->zero_grad();
    if (s.rows != nullptr) s.rows->optimizer().ZeroGrad();
    if (lease != nullptr) {
      ASSIGN_OR_RETURN(const MiniBatch batch, s.BatchOf(*lease, place.epoch));
      timer.Lap(StepPhase::kCopy);
      ASSIGN_OR_RETURN(const at::Tensor loss,
                       s.task->Loss(batch, s.Forward(batch), &result.tally));
      if (next != nullptr) RETURN_IF_ERROR(s.ReadAhead(*next));
      timer.Lap(StepPhase::kForward);
      if (std::isfinite(result.tally.loss)) {
        RETURN_IF_ERROR(s.Backward(loss, place, computed));
        RETURN_IF_ERROR(s.PushRows(place, &result.not_finite));
      } else {
        result.not_finite =
            absl::StrFormat("the loss is %g", result.tally.loss);
      }
    }
    // The others wait for a rank that has no gradients, too.
    const bool has_gradients =
        lease != nullptr && std::isfinite(result.tally.loss);
    if (place.ends_step && !has_gradients) {
      RETURN_IF_ERROR(s.ddp->BackwardOfNothing(computed));
    }
    ASSIGN_OR_RETURN(const bool agreed, agree(result));
    timer.Lap(StepPhase::kReduce);
    if (place.ends_step && agreed) {
      RETURN_IF_ERROR(s.TakeStep(place, &result.not_finite));
    }
    // The tally has waited for the device, so the batch's slot is released.
    const absl::Status polled = s.copies->Poll();
    timer.Lap(StepPhase::kOptimizer);
    return polled;
  });
  RETURN_IF_ERROR(s.CauseOf(status));
  return result;
}

absl::Status Learner::Evaluate(const BatchLease& lease, PredictionRows* rows) {
  State& s = *state_;
  return s.CauseOf(CatchTorch("evaluate", [&] {
    const torch::NoGradGuard no_grad;
    s.SetTraining(false);
    ASSIGN_OR_RETURN(const MiniBatch batch, s.BatchOf(lease, 0));
    RETURN_IF_ERROR(s.task->Predict(batch, s.Forward(batch), rows));
    return s.copies->Poll();
  }));
}

absl::Status Learner::Embed(const BatchLease& lease, EntityRows* rows) {
  State& s = *state_;
  return s.CauseOf(CatchTorch("embed", [&] {
    const torch::NoGradGuard no_grad;
    s.SetTraining(false);
    ASSIGN_OR_RETURN(const MiniBatch batch, s.BatchOf(lease, 0));
    const at::Tensor out = s.model->Forward(batch).at(batch.input_type);
    if (!out.defined()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the model computes no rows of node type ",
                       s.types.node_types[batch.input_type]));
    }
    CopyRows(out, batch.n_id[batch.input_type], batch.input_type, rows);
    return s.copies->Poll();
  }));
}

absl::StatusOr<std::unique_ptr<CandidateScorer>> Learner::Candidates(
    const EntityRows& rows) {
  std::unique_ptr<CandidateScorer> scorer;
  RETURN_IF_ERROR(CatchTorch("candidates", [&] {
    state_->SetTraining(false);
    scorer = state_->task->Candidates(rows);
    return absl::OkStatus();
  }));
  if (scorer != nullptr) return scorer;
  return absl::FailedPreconditionError(
      "the task has no links to rank; allowed: a task of links");
}

absl::Status Learner::ReserveSavedRows() {
  return state_->rows ? state_->rows->ReserveSaved() : absl::OkStatus();
}

absl::Status Learner::SaveParameters() {
  if (state_->rows) RETURN_IF_ERROR(state_->rows->Save());
  state_->saved_parameters.clear();
  for (const at::Tensor& p : state_->parameters) {
    state_->saved_parameters.push_back(p.detach().clone());
  }
  return absl::OkStatus();
}

absl::Status Learner::RestoreParameters() {
  if (!has_saved_parameters()) return absl::OkStatus();
  for (size_t i = 0; i < state_->saved_parameters.size(); ++i) {
    state_->parameters[i].detach().copy_(state_->saved_parameters[i]);
  }
  return state_->rows ? state_->rows->Restore() : absl::OkStatus();
}

absl::Status Learner::ExportModel(const std::string& path) const {
  if (state_->rows == nullptr) return WriteModel(path);
  return CatchTorch("export", [&]() -> absl::Status {
    const NamedTensors tables = state_->rows->MakeTables();
    RETURN_IF_ERROR(state_->rows->ReadAll(tables));
    NamedTensors tensors = state_->Named(state_->parameters);
    tensors.insert(tensors.end(), tables.begin(), tables.end());
    return WriteTensors(path, tensors, state_->ModelMetadata());
  });
}

absl::Status Learner::WriteModel(const std::string& path) const {
  return WriteTensors(path, state_->Named(state_->parameters),
                      state_->ModelMetadata());
}

absl::Status Learner::WriteOptimizer(const std::string& path) const {
  NamedTensors tensors;
  RETURN_IF_ERROR(CatchTorch("optimizer", [&] {
    at::Tensor steps;
    tensors = state_->OptimizerTensors(&steps);
    return absl::OkStatus();
  }));
  return WriteTensors(path, tensors);
}

absl::Status Learner::WriteSavedParameters(const std::string& path) const {
  return WriteTensors(path, state_->Named(state_->saved_parameters),
                      state_->ModelMetadata());
}

absl::Status Learner::ReadModel(const std::string& path) {
  return LoadTensors(path, state_->Named(state_->parameters));
}

absl::Status Learner::ReadOptimizer(const std::string& path) {
  return CatchTorch("optimizer", [&]() -> absl::Status {
    at::Tensor steps;
    RETURN_IF_ERROR(LoadTensors(path, state_->OptimizerTensors(&steps)));
    state_->SetOptimizerSteps(steps);
    return absl::OkStatus();
  });
}

absl::Status Learner::ReadSavedParameters(const std::string& path) {
  state_->MakeRoomForSaved();
  return LoadTensors(path, state_->Named(state_->saved_parameters));
}

absl::Status Learner::BroadcastState() {
  RETURN_IF_ERROR(state_->group->Broadcast(state_->parameters));
  return CatchTorch("optimizer", [&]() -> absl::Status {
    at::Tensor steps;
    std::vector<at::Tensor> tensors;
    for (const auto& [name, t] : state_->OptimizerTensors(&steps)) {
      tensors.push_back(t);
    }
    RETURN_IF_ERROR(state_->group->Broadcast(tensors));
    state_->SetOptimizerSteps(steps);
    return absl::OkStatus();
  });
}

absl::Status Learner::BroadcastSavedParameters() {
  state_->MakeRoomForSaved();
  return state_->group->Broadcast(state_->saved_parameters);
}

bool Learner::has_saved_parameters() const {
  return !state_->saved_parameters.empty();
}

absl::Status Learner::CheckFinite() const {
  return CatchTorch("parameters", [&]() -> absl::Status {
    for (size_t i = 0; i < state_->parameters.size(); ++i) {
      if (at::isfinite(state_->parameters[i]).all().item<bool>()) continue;
      return absl::OutOfRangeError(
          absl::StrCat("the parameter ", state_->names[i],
                       " has values that are not finite; a smaller --lr or "
                       "--clip-grad-norm may help"));
    }
    return absl::OkStatus();
  });
}

uint64_t Learner::parameter_bytes() const {
  uint64_t bytes = 0;
  for (const at::Tensor& p : state_->parameters) bytes += p.nbytes();
  return bytes;
}

// Adam's two moments of each parameter, and its count of steps.
uint64_t Learner::optimizer_bytes() const {
  return 2 * parameter_bytes() + sizeof(int64_t) * state_->parameters.size();
}

absl::Status Learner::LoadModel(const std::string& path) {
  ProcessGroup& group = *state_->group;
  RETURN_IF_ERROR(AgreeOnRank0(
      group, group.rank() == 0 ? state_->ReadExport(path) : absl::OkStatus()));
  return group.Broadcast(state_->parameters);
}

uint64_t Learner::row_bytes() const {
  if (state_->rows == nullptr) return 0;
  const std::string& optimizer = state_->options.sparse.optimizer;
  return state_->rows->bytes(optimizer == "adam"      ? 2
                             : optimizer == "adagrad" ? 1
                                                      : 0);
}

const std::shared_ptr<GnnModel>& Learner::model() const {
  return state_->model;
}

TrainingTask& Learner::task() const { return *state_->task; }

int64_t Learner::num_parameters() const {
  int64_t count = 0;
  for (const at::Tensor& p : state_->parameters) count += p.numel();
  return count;
}

}  // namespace tributary
