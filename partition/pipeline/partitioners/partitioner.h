// Assigns nodes to partitions.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_method.h"
#include "partition/pipeline/partitioners/method/partition_options.h"
#include "partition/source/graph_source.h"
#include "partition/writer/content.h"
#include "partition/writer/writer.h"

namespace tributary {

// Returns the partitioner of `method`:
//   random: node i of each type goes to floor(position(i) * P / N), where
//     position is its place in a keyed permutation of 0..N-1
//     (docs/graph-format.md). Parts differ by at most one node.
//   metis: METIS's k-way partitioning (Karypis & Kumar, SIAM J. Sci. Comput.
//     1998) of the undirected graph without loops and parallel edges, all node
//     types in one graph, with a weight for each balance; the seed is fixed. Up
//     to 2^31 - 1 ends of edges, in memory.
//   ldg: linear deterministic greedy (Stanton & Kliot, KDD 2012) in one pass,
//     for graphs larger than memory.
//   assignment: the partitions that the user's files name.
// INVALID_ARGUMENT, naming the methods, for any other.
absl::StatusOr<std::unique_ptr<Partitioner>> MakePartitioner(
    const std::string& method);

// Runs the method of `options`, or returns the plan that an earlier call for
// the same options and counts has left in context.work_folder. Errors as
// CheckPartitionOptions, MakePartitioner and Partitioner::Partition.
absl::StatusOr<NodePlan> PlanSource(const GraphSource& graph,
                                    const PartitionOptions& options,
                                    const PartitionContext& context);

// As PlanSource, for a graph in memory, with default context.
absl::StatusOr<NodePlan> PlanNodes(const GraphContent& content,
                                   const PartitionOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_
