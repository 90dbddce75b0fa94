// The interface of a task that models are trained for.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_TRAINING_TASK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_TRAINING_TASK_H_

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/tasks/entity_ranking.h"
#include "trainer_client/torch/tasks/entity_rows.h"
#include "trainer_client/torch/tasks/evaluation.h"
#include "trainer_client/torch/tasks/tally.h"

namespace tributary {

// A task: the loss of a model's output, and its predictions as rows of a
// metric. Used by one thread; may throw what LibTorch throws.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  // Returns the columns that the model's output must have.
  virtual int64_t out_channels() const = 0;
  // Returns the task's own parameters, such as those of a decoder; null: none.
  virtual std::shared_ptr<torch::nn::Module> decoder() const { return nullptr; }

  // Returns the sum of the losses of the batch's inputs, a scalar with a
  // gradient, and adds the batch's sums to `tally`. `out` is the model's output
  // by node type. INVALID_ARGUMENT without labels to train on, OUT_OF_RANGE for
  // a label that is not allowed.
  virtual absl::StatusOr<at::Tensor> Loss(const MiniBatch& batch,
                                          const TypeTensors& out,
                                          Tally* tally) = 0;
  // Adds the batch's predictions to `rows`. Errors as above.
  virtual absl::Status Predict(const MiniBatch& batch, const TypeTensors& out,
                               PredictionRows* rows) = 0;
  // Returns a scorer of all nodes as ends of links by a model's `rows`, which
  // must outlive it; null: the task is not of links.
  virtual std::unique_ptr<CandidateScorer> Candidates(const EntityRows&) {
    return nullptr;
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_TRAINING_TASK_H_
