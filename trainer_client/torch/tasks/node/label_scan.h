// Looks at the labels of a batch before training. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LABEL_SCAN_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LABEL_SCAN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/torch/tasks/node/node_task_options.h"

namespace tributary {

// What the labels of a batch's inputs are.
struct LabelScan {
  bool any = false;      // whether an input has a label
  int64_t largest = -1;  // class; -1: none, or the task has no classes
};

// Requires the columns that CheckLabels returned. INVALID_ARGUMENT if the batch
// has no labels, OUT_OF_RANGE for one that the task does not allow.
absl::StatusOr<LabelScan> ScanLabels(NodeTaskKind kind, int64_t columns,
                                     const BatchLease& lease,
                                     const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LABEL_SCAN_H_
