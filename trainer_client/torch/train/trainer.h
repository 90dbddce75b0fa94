// Trains a GNN on batches that servers sample. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/train/link_ranking.h"
#include "trainer_client/torch/train/train_options.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

class ProcessGroup;

// The loaders of one rank, created with its rank and world. They must outlive
// Train(). All but `train` may be null; with options.baseline that too.
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
  // A metric that ranks links among all nodes reads these instead of `valid`
  // and `test`.
  RankingLoaders ranking;
};

// Trains a model on a task, data parallel. In each round every
// rank takes its batch, if one is left for it, and the optimizer steps along
// the mean gradient over the inputs of all ranks: the step that one process
// would take with the whole round as its batch.
//
// Must be called by all ranks with the same options. `observer` is called on
// the calling thread. INVALID_ARGUMENT for wrong options, or a graph without
// features or labels to train on; FAILED_PRECONDITION when ranks have different
// graphs; CANCELLED when a loader was cancelled; INTERNAL when another rank
// ended.
//
// With options.checkpoints a run that was resumed on the same world size gives
// the bits of an undisturbed one on a CPU.
absl::StatusOr<TrainResult> Train(const TrainOptions& options,
                                  const TrainLoaders& loaders,
                                  ProcessGroup& group, TrainObserver& observer);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_
