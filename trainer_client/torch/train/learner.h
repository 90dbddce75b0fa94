// A model, its optimizer and its data parallel step. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_LEARNER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_LEARNER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/torch/tasks/entity_ranking.h"
#include "trainer_client/torch/tasks/entity_rows.h"
#include "trainer_client/torch/tasks/evaluation.h"
#include "trainer_client/torch/tasks/link_task_options.h"
#include "trainer_client/torch/tasks/node_task_options.h"
#include "trainer_client/torch/tasks/tally.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

class DistContext;
class GnnModel;
class ProcessGroup;
class StepTimer;
class TrainingTask;

using TaskOptions = std::variant<NodeTaskOptions, LinkTaskOptions>;

// The position of a round in its run. An optimizer step takes one round or
// more, whose gradients are added.
struct RoundPlace {
  uint64_t epoch = 0;
  uint64_t step_inputs = 0;  // of all ranks in all rounds of the step
  bool begins_step = true;
  bool ends_step = true;
  double learning_rate = 0;  // of the step
  // With rows on the servers: the number of the round in its step, and the
  // rate of the rows in the step.
  uint64_t round_in_step = 0;
  double sparse_learning_rate = 0;
};

// A round, or why the run must end.
struct RoundResult {
  Tally tally;  // this rank's sums
  // What is not finite, as "the loss is nan": the parameters are then as they
  // were before. Empty: all is.
  std::string not_finite;
};

// Trains a model on a task. Each rank has one, with equal parameters. Used by
// one thread. All ranks must make the same calls in the same order, except
// Evaluate() and those that read and write files, which involve one rank.
//
// With options.sparse nodes without features read rows that live on the
// servers: not parameters here. Errors of a server that holds rows are returned
// as they are, UNAVAILABLE with its name.
//
// Exceptions of LibTorch are returned as INTERNAL; a batch that model or task
// cannot take as INVALID_ARGUMENT or OUT_OF_RANGE.
class Learner {
 public:
  // Overwrites the parameters of model and task with those of rank 0. `group`
  // must outlive the object. UNAVAILABLE for a device that this machine does
  // not have. `context`, which must outlive the object, has the rows of
  // options.sparse; null: rounds and evaluations are errors with these.
  static absl::StatusOr<std::unique_ptr<Learner>> Create(
      const TrainOptions& options, const GraphSchema& schema,
      const TaskOptions& task, ProcessGroup* group,
      DistContext* context = nullptr);
  // The same with a model and a task of the caller's. A DistInputEmbedding
  // among the model's modules is trained, too.
  static absl::StatusOr<std::unique_ptr<Learner>> Create(
      const TrainOptions& options, const GraphSchema& schema,
      std::shared_ptr<GnnModel> model, std::unique_ptr<TrainingTask> task,
      ProcessGroup* group);
  ~Learner();

  // Adds the gradients of a round. The round that ends a step takes the
  // optimizer step on the mean loss over the inputs of the step's rounds; only
  // then gradients travel between ranks. `lease` is this rank's batch, or null
  // when it has none in the round. Adds to `timer` the phases from kCopy on.
  // Once the batch's rows on the servers are read, begins to read those of
  // `next`, this rank's next batch, which changes no value.
  //
  // Calls `agree` in each round, at which the ranks meet, with what this rank
  // has found so far: a loss, or a gradient of rows on the servers, that is not
  // finite. It returns whether the step may be taken, the same at all ranks.
  // With clip_grad_norm none is taken either if the norm of the gradients of
  // all ranks is not finite. Without a step the rows on the servers do not
  // change.
  using Agree = absl::FunctionRef<absl::StatusOr<bool>(const RoundResult&)>;
  absl::StatusOr<RoundResult> Round(const BatchLease* lease,
                                    const RoundPlace& place, StepTimer& timer,
                                    const BatchLease* next, Agree agree);
  // Adds the batch's predictions to `rows`; changes no parameter.
  absl::Status Evaluate(const BatchLease& lease, PredictionRows* rows);

  // Adds the model's rows of the batch's inputs, all nodes of which have a row
  // in `rows`; sets its channels. INVALID_ARGUMENT if the model computes none.
  absl::Status Embed(const BatchLease& lease, EntityRows* rows);
  // Returns a scorer of all nodes as ends of links, by `rows`; both must
  // outlive it. FAILED_PRECONDITION if the task is not of links.
  absl::StatusOr<std::unique_ptr<CandidateScorer>> Candidates(
      const EntityRows& rows);

  // Makes room on the servers for a copy of the rows there; without such rows
  // does nothing. SaveParameters() requires it.
  absl::Status ReserveSavedRows();
  // Keeps a copy of the parameters, and of rows on the servers there; replaces
  // the last copy. Every rank must call it.
  absl::Status SaveParameters();
  // Sets the parameters and rows to the copy, if there is one. Every rank must
  // call it.
  absl::Status RestoreParameters();

  // Writes the parameters with all rows that live on the servers as those of a
  // model without servers, which LoadModel() reads in both. This rank's memory
  // holds all rows meanwhile.
  absl::Status ExportModel(const std::string& path) const;

  // Write the parameters (names as in the model, "decoder." before the task's),
  // the optimizer's state, and the copy of SaveParameters() as safetensors
  // files.
  absl::Status WriteModel(const std::string& path) const;
  absl::Status WriteOptimizer(const std::string& path) const;
  absl::Status WriteSavedParameters(const std::string& path) const;
  // Read them back. Errors are those of LoadTensors.
  absl::Status ReadModel(const std::string& path);
  absl::Status ReadOptimizer(const std::string& path);
  absl::Status ReadSavedParameters(const std::string& path);
  // Overwrite parameters and optimizer's state, or the saved parameters, with
  // those of rank 0. Every rank must call them.
  absl::Status BroadcastState();
  absl::Status BroadcastSavedParameters();
  bool has_saved_parameters() const;

  // Returns OUT_OF_RANGE, naming the parameter, if one is not finite.
  absl::Status CheckFinite() const;

  // Sets the parameters of all ranks, and rows on the servers, to those of a
  // file that WriteModel or ExportModel wrote.
  // Rank 0 alone reads it; every rank must call it, and gets its errors: those
  // of LoadTensors.
  absl::Status LoadModel(const std::string& path);

  // The model and the task that are trained, on the device of the options.
  const std::shared_ptr<GnnModel>& model() const;
  TrainingTask& task() const;

  // Returns the number of parameters of model and task.
  int64_t num_parameters() const;
  // Return the bytes of the parameters, and of the optimizer's state once it
  // has taken a step.
  uint64_t parameter_bytes() const;
  uint64_t optimizer_bytes() const;
  // Returns the bytes of rows on the servers, with their optimizer's state.
  uint64_t row_bytes() const;

 private:
  struct State;
  explicit Learner(std::unique_ptr<State> state);
  const std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_LEARNER_H_
