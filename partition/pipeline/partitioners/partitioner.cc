#include "partition/pipeline/partitioners/partitioner.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/metis_partitioner.h"
#include "partition/pipeline/partitioners/random_partitioner.h"
#include "partition/schema/schema_check.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<Partitioner>> MakePartitioner(
    const std::string& method) {
  if (method == "random") return std::make_unique<RandomPartitioner>();
  if (method == "metis") return std::make_unique<MetisPartitioner>();
  return absl::InvalidArgumentError(absl::StrCat(
      "--method \"", method, "\" is not built; allowed: random, metis"));
}

absl::StatusOr<NodePlan> PlanNodes(const GraphContent& content,
                                   const PartitionOptions& options) {
  if (options.num_partitions < 1 || options.num_partitions > kMaxPartitions) {
    return absl::InvalidArgumentError(
        absl::StrCat("--num-parts ", options.num_partitions, "; allowed: 1 to ",
                     kMaxPartitions));
  }
  ASSIGN_OR_RETURN(const auto partitioner, MakePartitioner(options.method));
  ASSIGN_OR_RETURN(auto partition_of, partitioner->Partition(content, options));
  return NodePlan{options.num_partitions, options.method,
                  std::move(partition_of)};
}

}  // namespace tributary
