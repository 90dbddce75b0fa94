// Prediction of links.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_TASK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_TASK_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/torch/tasks/link_task_options.h"
#include "trainer_client/torch/tasks/training_task.h"

namespace tributary {

// Returns the task on batches of links and negatives (MiniBatch::links), of any
// of options.edge_types. The losses, summed over a batch's links:
//
//   edge_label_index (mode binary)  the mean binary cross entropy of the
//     scores, with logits, over the links of a type and all their negatives
//   dst_neg_index (mode triplet)    BPR: the mean over a link's negatives of
//     -log sigmoid(score of the link - score of the negative)
//   any mode with LinkLoss::kSoftmax  the cross entropy of the link's
//     destination among all rows of its type that the batch computes, which are
//     the ends of all links and negatives, given the source; and of its source
//     given the destination; the mean of both
//
// Predict() adds a row for each link, of its own score and those of its
// negatives (see LinkScores); in mode binary negative j is of link j mod links.
// A row's input number is relation * 2^36 + number in the type's list. Errors
// are those of MakeLinkScorer().
absl::StatusOr<std::unique_ptr<TrainingTask>> MakeLinkTask(
    const LinkTaskOptions& options, const TypeTable& types,
    uint64_t random_seed);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_TASK_H_
