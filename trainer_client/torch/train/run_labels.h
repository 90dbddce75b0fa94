// Reads what a run must know of its labels before the first epoch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RUN_LABELS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RUN_LABELS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/tasks/node/label_scan.h"
#include "trainer_client/torch/tasks/node/node_task_options.h"
#include "trainer_client/torch/train/rank_passes.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

// Reads the labels of tasks on nodes. Every rank makes the same calls.
class RunLabels {
 public:
  // All outlive it. `loader` has the training inputs. Requires a task on nodes.
  RunLabels(const TrainOptions& options, const GraphSchema& schema,
            DistLoader* loader, RankPasses& passes)
      : options_(options), schema_(schema), loader_(loader), passes_(passes) {}

  // Returns the task, whose classes are counted if the user does not say how
  // many there are. INVALID_ARGUMENT for labels that the task cannot take.
  absl::StatusOr<NodeTaskOptions> Task();
  // INVALID_ARGUMENT unless an input of training has a label. Requires Task().
  absl::Status CheckAny();
  // Returns whether an input of any rank has a label. Requires Task().
  absl::StatusOr<bool> HasLabel(DistLoader* loader);

 private:
  absl::StatusOr<LabelScan> Scan(const BatchLease& lease) const;
  // Returns the largest label in all ranks' batches; -1 when no input has one.
  // A double, as collectives need: exact up to 2^53, far beyond what is
  // allowed.
  absl::StatusOr<double> Largest();
  absl::StatusOr<int64_t> CountClasses();

  const TrainOptions& options_;
  const GraphSchema& schema_;
  DistLoader* const loader_;
  RankPasses& passes_;
  int64_t columns_ = 1;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RUN_LABELS_H_
