#include "partition/pipeline/check/verify_partitions.h"

#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/format/graph_json.h"

namespace tributary {

absl::StatusOr<std::string> VerifyPartitions(
    const std::string& folder, const PartitionChoice& partitions) {
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(folder));
  ASSIGN_OR_RETURN(
      const auto graph,
      Graph::Open(folder, {.partitions = partitions.Of(schema.num_partitions),
                           .verify = true}));
  return ToHex(graph->schema().layout_digest);
}

}  // namespace tributary
