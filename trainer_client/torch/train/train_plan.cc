#include "trainer_client/torch/train/train_plan.h"

#include <optional>
#include <string_view>

#include "common/batch/batch_view.h"
#include "common/fleet/graph_name.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns the number of elements of tensor `name`, or of all its name/TYPE.
uint64_t CountOf(const BatchView& batch, std::string_view name) {
  uint64_t sum = 0;
  for (const TensorView& tensor : batch.tensors()) {
    const std::string_view own = tensor.name;
    if (own.substr(0, name.size()) != name) continue;
    if (own.size() == name.size() || own[name.size()] == '/') {
      sum += static_cast<uint64_t>(NumElements(tensor.shape));
    }
  }
  return sum;
}

}  // namespace

TrainPlan PlanOfGraph(const GraphSchema& schema) {
  TrainPlan plan;
  plan.graph = VersionedName(schema.name, schema.content_digest);
  for (const NodeTypeSchema& node : schema.node_types) {
    plan.nodes.emplace_back(node.name, node.num_nodes);
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    const EdgeTypeSchema& edge = schema.edge_types[t];
    plan.edges.emplace_back(edge.name(), edge.num_edges);
  }
  return plan;
}

absl::StatusOr<PassPlan> PlanPass(const std::string& name, DistLoader* loader,
                                  uint64_t world) {
  PassPlan pass{.name = name,
                .inputs = loader->num_inputs(),
                .batches = loader->num_batches()};
  pass.rounds = (pass.batches + world - 1) / world;
  RETURN_IF_ERROR(loader->StartEpoch(0));
  ASSIGN_OR_RETURN(const std::optional<BatchLease> batch, loader->Next());
  if (!batch) return pass;
  pass.batch_nodes = CountOf(batch->view(), "n_id");
  pass.batch_edges = CountOf(batch->view(), "e_id");
  pass.batch_bytes = batch->view().payload_bytes();
  return pass;
}

}  // namespace tributary
