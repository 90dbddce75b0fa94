#include "trainer_client/torch/tasks/node_task_options.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"

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
  const bool whole = type->y->dtype == DType::kInt64;
  const int64_t columns = std::max<int64_t>(1, type->y->dim);
  if (kind == NodeTaskKind::kClassification && (!whole || columns != 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "node classification needs labels of one whole number per node; y of "
        "type ",
        type->name, " has ", columns, " columns",
        whole ? "" : " of numbers that are not whole",
        "; allowed here: --task multilabel, regression"));
  }
  return columns;
}

absl::StatusOr<int64_t> LargestLabel(const BatchLease& lease,
                                     const GraphSchema& schema) {
  ASSIGN_OR_RETURN(const HeteroBatch batch, ToTypedBatch(lease.view(), schema));
  const auto nodes = batch.nodes.find(batch.input_type);
  if (nodes == batch.nodes.end() || !nodes->second.y.has_value() ||
      nodes->second.y->dtype != DType::kInt64 ||
      nodes->second.y->shape.size() != 1) {
    return absl::InvalidArgumentError(
        "node classification needs labels of one whole number per node; y "
        "is missing, has several columns or is not integral");
  }
  const auto labels = nodes->second.y->As<int64_t>();
  int64_t largest = -1;
  for (int32_t seed : batch.seed_index) {
    if (seed < 0 || static_cast<size_t>(seed) >= labels.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "seed_index has ", seed, "; allowed: 0 to ", labels.size(), " - 1"));
    }
    largest = std::max(largest, labels[seed]);
  }
  return largest;
}

}  // namespace tributary
