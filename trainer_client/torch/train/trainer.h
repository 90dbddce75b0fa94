// Trains a GNN on batches that servers sample. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_

#include <functional>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/train/train_options.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

class ProcessGroup;

// Each was created with this rank and world. All but `train` may be null.
struct TrainLoaders {
  DistLoader* train = nullptr;
  DistLoader* valid = nullptr;
  DistLoader* test = nullptr;
  // The training inputs again, with as few neighbours as can be: to count the
  // classes. Null: `train` itself, at the price of an epoch.
  DistLoader* labels = nullptr;
  // Called, if there is one, as soon as `labels` is of no more use: it may be
  // destroyed then, with its ring.
  std::function<void()> release_labels;
};

// GraphSAGE for node classification, data parallel: in each round every rank
// takes its batch, if one is left for it, and the step follows the mean over
// the inputs of all, so that it is the step of one process with the whole
// round as its batch. Called by all ranks with the same options. CANCELLED
// when a loader was; another rank's end shows as INTERNAL.
absl::StatusOr<TrainResult> Train(const TrainOptions& options,
                                  const TrainLoaders& loaders,
                                  ProcessGroup& group, TrainObserver& observer);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAINER_H_
