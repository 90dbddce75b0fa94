#include "trainer_client/torch/train/train_plan.h"

#include <optional>

#include "common/batch/batch_counts.h"
#include "common/fleet/graph_name.h"
#include "common/text/status.h"

namespace tributary {

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
  const BatchCounts counts = CountBatch(batch->view());
  pass.batch_nodes = counts.nodes;
  pass.batch_edges = counts.edges;
  pass.batch_bytes = counts.bytes;
  return pass;
}

}  // namespace tributary
