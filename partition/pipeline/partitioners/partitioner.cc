#include "partition/pipeline/partitioners/partitioner.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/assignment_partitioner.h"
#include "partition/pipeline/partitioners/content_source.h"
#include "partition/pipeline/partitioners/ldg/edge_buckets.h"
#include "partition/pipeline/partitioners/ldg/ldg_partitioner.h"
#include "partition/pipeline/partitioners/metis/metis_partitioner.h"
#include "partition/pipeline/partitioners/plan_file.h"
#include "partition/pipeline/partitioners/random_partitioner.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<Partitioner>> MakePartitioner(
    const std::string& method) {
  if (method == "random") return std::make_unique<RandomPartitioner>();
  if (method == "metis") return std::make_unique<MetisPartitioner>();
  if (method == "ldg") return std::make_unique<LdgPartitioner>();
  if (method == "assignment") return std::make_unique<AssignmentPartitioner>();
  return absl::InvalidArgumentError(
      absl::StrCat("--method \"", method,
                   "\" does not exist\nallowed: random, metis, ldg, "
                   "assignment"));
}

absl::StatusOr<NodePlan> PlanSource(const GraphSource& graph,
                                    const PartitionOptions& options,
                                    const PartitionContext& context) {
  ASSIGN_OR_RETURN(const auto partitioner, MakePartitioner(options.method));
  RETURN_IF_ERROR(CheckPartitionOptions(options));
  // The files of an assignment may change between the calls.
  const bool keep = options.method != "assignment";
  const PlanFile file(keep ? context.work_folder : "", graph, options);
  NodePlan plan{options.num_partitions, options.method, {}};
  ASSIGN_OR_RETURN(const bool found, file.Find(plan.partition_of));
  if (!found) {
    ASSIGN_OR_RETURN(plan.partition_of,
                     partitioner->Partition(graph, options, context));
    RETURN_IF_ERROR(file.Save(plan.partition_of));
    RETURN_IF_ERROR(FaultPoint("partition.plan-saved"));
  }
  if (!context.work_folder.empty()) {
    EdgeBuckets::RemoveFrom(context.work_folder);
  }
  return plan;
}

absl::StatusOr<NodePlan> PlanNodes(const GraphContent& content,
                                   const PartitionOptions& options) {
  return PlanSource(SourceOfContent(content), options, PartitionContext());
}

}  // namespace tributary
