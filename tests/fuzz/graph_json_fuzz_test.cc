// Fuzzes GraphSchema: any text is either a consistent graph.json or refused
// with what is wrong.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "partition/schema/schema.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

void CheckNodeType(const NodeTypeSchema& type, uint32_t num_partitions) {
  Must(type.base.size() == size_t{num_partitions} + 1, "P + 1 bases");
  Must(type.base.front() == 0 && type.base.back() == type.num_nodes,
       "bases span the nodes");
  if (type.num_nodes == 0) return;
  Must(type.PartitionOf(0) < num_partitions &&
           type.PartitionOf(type.num_nodes - 1) < num_partitions,
       "each node has a partition");
}

void CheckEdgeType(const EdgeTypeSchema& type, const GraphSchema& schema) {
  const int num_node_types = static_cast<int>(schema.node_types.size());
  Must(type.src_type >= 0 && type.src_type < num_node_types &&
           type.dst_type >= 0 && type.dst_type < num_node_types,
       "both ends are node types");
  Must(type.partition_edges.size() == schema.num_partitions,
       "each partition's edges");
  Must(!type.weighted || type.weight_dtype == DType::kFloat32 ||
           type.weight_dtype == DType::kFloat64,
       "weights are floating");
  Must(type.neighbor_timed == schema.node_types[type.src_type].timed,
       "neighbours' times are their nodes'");
  Must(type.masks.size() <= kMaxEdgeMasks &&
           std::is_sorted(type.masks.begin(), type.masks.end()),
       "masks are few, and ascend");
  for (int64_t edges : type.partition_edges) {
    Must(edges >= 0 && edges <= type.num_edges, "no more than there are");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto schema = GraphSchema::FromJson(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!schema.ok()) return 0;
  for (const auto& type : schema->node_types) {
    CheckNodeType(type, schema->num_partitions);
  }
  for (const auto& type : schema->edge_types) CheckEdgeType(type, *schema);
  const std::string json = schema->ToJson();
  const auto again = GraphSchema::FromJson(json);
  Must(again.ok(), "what was read can be written and read");
  Must(again->ToJson() == json, "and is the same then");
  Must(again->ComputeLayoutDigest() == schema->ComputeLayoutDigest(),
       "with the same digest");
  return 0;
}

}  // namespace tributary
