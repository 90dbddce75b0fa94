// Trains a GNN on batches that servers sample. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/train/link_ranking.h"
#include "trainer_client/torch/train/train_options.h"
#include "trainer_client/torch/train/train_plan.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

class DistContext;
class ProcessGroup;

// The loaders of one rank, created with its rank and world. They must outlive
// Train(). All but `train` may be null.
struct TrainLoaders {
  DistLoader* train = nullptr;
  DistLoader* valid = nullptr;
  DistLoader* test = nullptr;
  // A loader of the training inputs with as few neighbours as possible, which
  // is read to count the classes. Null: `train` is read, for a whole epoch.
  DistLoader* labels = nullptr;
  // Called, if set, once `labels` is no longer needed, so that it and its ring
  // may be destroyed.
  std::function<void()> release_labels;
  // Links: the negatives of the splits, which `valid` and `test` then have
  // none of. Null: these have negatives.
  DistLoader* valid_negatives = nullptr;
  DistLoader* test_negatives = nullptr;
  // Returns a shell command that makes a batch of `train` in its present epoch
  // again, for errors. May be empty, and may return an empty text.
  std::function<std::string(uint64_t epoch, uint64_t index)> sample_again;
  // A metric that ranks links among all nodes reads these instead of `valid`
  // and `test`.
  RankingLoaders ranking;
  // Whether the run was asked to end, which cancels all these loaders; may be
  // called at any time. Empty: it never is. The ranks then end together, after
  // a checkpoint of the last step that all have taken, where they keep any.
  std::function<bool()> stop_requested;
  // The servers that hold rows of the model: needed with TrainOptions::sparse.
  // Checkpoints have all its tensors.
  DistContext* context = nullptr;
};

class Learner;

// What is done with a run's model when it has been trained. Used by the thread
// that trains; every rank makes the same calls.
class AfterTraining {
 public:
  virtual ~AfterTraining() = default;
  // Is called before the first epoch, to refuse what would be an error later.
  virtual absl::Status Prepare(Learner& learner) = 0;
  // Is called with the best epoch's parameters.
  virtual absl::Status Run(Learner& learner) = 0;
};

// Trains a model on a task, data parallel. In each round every rank takes its
// batch, if one is left for it. After options.accumulate rounds, or at the
// epoch's end, the optimizer steps along the mean gradient over the inputs of
// all ranks in these rounds: the step that one process would take with all of
// them as its batch.
//
// Must be called by all ranks with the same options. `observer` is called on
// the calling thread. INVALID_ARGUMENT for wrong options, or a graph without
// features or labels to train on; FAILED_PRECONDITION when ranks have different
// graphs; CANCELLED when a loader was cancelled; INTERNAL when another rank
// ended; OUT_OF_RANGE when a loss is not finite, or (with clip_grad_norm) the
// gradients, or parameters that a checkpoint would hold: it names epoch, batch
// and rank, and the other ranks end by it, too (OfAnotherRank); UNAVAILABLE,
// with its name, when a server that holds rows ended; ABORTED when one wants
// to, or a rank was asked to end (EndedOnRequest). Errors of `after`, which may
// be null.
//
// With options.checkpoints a run that was resumed on the same world size gives
// the bits of an undisturbed one on a CPU. A checkpoint of the last step is
// written before the test split is measured, or `after` is called.
absl::StatusOr<TrainResult> Train(const TrainOptions& options,
                                  const TrainLoaders& loaders,
                                  ProcessGroup& group, TrainObserver& observer,
                                  AfterTraining* after = nullptr);

// Whether another rank has found the cause, and tells it.
bool OfAnotherRank(const absl::Status& status);

// Returns what Train() would do with `world` ranks. Counts the classes, makes
// the model and samples batch 0 of each loader's epoch 0; takes no step, and
// reads and writes no file. The loaders and `group` must be of a world of one.
// Errors are those of Train().
absl::StatusOr<TrainPlan> PlanTraining(const TrainOptions& options,
                                       const TrainLoaders& loaders,
                                       ProcessGroup& group,
                                       TrainObserver& observer, uint64_t world);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_
