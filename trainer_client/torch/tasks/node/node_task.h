// Classification and regression of nodes.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_NODE_NODE_TASK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_NODE_NODE_TASK_H_

#include <memory>

#include "trainer_client/torch/tasks/node/node_task_options.h"
#include "trainer_client/torch/tasks/training_task.h"

namespace tributary {

// Returns the task on the labels of the batches' inputs (MiniBatch::y).
// Requires options.columns and, for classification, options.num_classes above
// 0.
std::unique_ptr<TrainingTask> MakeNodeTask(const NodeTaskOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_NODE_NODE_TASK_H_
