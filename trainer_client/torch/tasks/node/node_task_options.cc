#include "trainer_client/torch/tasks/node/node_task_options.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

bool Measures(Metric metric, NodeTaskKind kind) {
  switch (kind) {
    case NodeTaskKind::kClassification:
      return metric == Metric::kAccuracy || IsF1(metric) ||
             metric == Metric::kRocAuc || metric == Metric::kAveragePrecision;
    case NodeTaskKind::kMultiLabel:
      return metric == Metric::kRocAuc || IsF1(metric) ||
             metric == Metric::kAveragePrecision;
    case NodeTaskKind::kRegression:
      return metric == Metric::kMae || metric == Metric::kRmse;
  }
  return false;
}

absl::string_view MetricsOf(NodeTaskKind kind) {
  switch (kind) {
    case NodeTaskKind::kClassification:
      return "accuracy, f1-micro, f1-macro; rocauc and ap with two classes";
    case NodeTaskKind::kMultiLabel:
      return "rocauc, ap, f1-micro, f1-macro";
    case NodeTaskKind::kRegression:
      return "rmse, mae";
  }
  return "";
}

absl::StatusOr<const NodeTypeSchema*> FindType(const GraphSchema& schema,
                                               const std::string& name) {
  if (name.empty() && schema.node_types.size() == 1) {
    return &schema.node_types[0];
  }
  for (const NodeTypeSchema& type : schema.node_types) {
    if (type.name == name) return &type;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("graph \"", schema.name, "\" has no node type \"", name,
                   "\" to train on; name the inputs as TYPE:SPLIT"));
}

}  // namespace

absl::StatusOr<int64_t> CheckLabels(NodeTaskKind kind, Metric metric,
                                    const GraphSchema& schema,
                                    const std::string& input_type) {
  if (!Measures(metric, kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("metric ", NameOf(metric),
                     " does not measure this task; "
                     "allowed: ",
                     MetricsOf(kind)));
  }
  ASSIGN_OR_RETURN(const NodeTypeSchema* const type,
                   FindType(schema, input_type));
  if (!type->y.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("nodes of type ", type->name, " have no labels (y)"));
  }
  const int64_t columns = std::max<int64_t>(1, type->y->dim);
  if (kind == NodeTaskKind::kClassification && columns != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "node classification needs labels of one whole number per node; y of "
        "type ",
        type->name, " has ", columns,
        " columns; allowed here: --task multilabel, regression, or y.argmax(1) "
        "in the graph where a row has one 1"));
  }
  return columns;
}

}  // namespace tributary
