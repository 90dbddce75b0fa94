// The options of tasks on nodes. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_NODE_TASK_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_NODE_TASK_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/torch/tasks/metric.h"

namespace tributary {

// What the labels of nodes are.
enum class NodeTaskKind {
  // One class of several, a whole number; -1 or NaN: no label. Loss: cross
  // entropy. Metric: accuracy, f1-micro, f1-macro; with two classes also rocauc
  // and ap, of the difference of the two logits.
  kClassification,
  // Several labels of 0 or 1; -1 or NaN: missing. Loss: binary cross entropy,
  // the mean over the columns. Metric: rocauc, ap, f1-micro, f1-macro.
  kMultiLabel,
  // Numbers; NaN: missing. Loss: squared error, the mean over the columns.
  // Metric: rmse, mae.
  kRegression,
};

struct NodeTaskOptions {
  NodeTaskKind kind = NodeTaskKind::kClassification;
  Metric metric = Metric::kAccuracy;
  int64_t num_classes = 0;  // of kClassification
  int64_t columns = 1;      // of y
};

// Returns the columns of the labels of the session's input type.
// INVALID_ARGUMENT, naming the type, if it has no labels, or not those that the
// task needs.
absl::StatusOr<int64_t> CheckLabels(NodeTaskKind kind, Metric metric,
                                    const GraphSchema& schema,
                                    const std::string& input_type);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_NODE_TASK_OPTIONS_H_
