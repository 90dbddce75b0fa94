// Assigns nodes to partitions.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"
#include "partition/writer/writer.h"

namespace tributary {

// Options of a partitioner.
struct PartitionOptions {
  std::string method = "random";
  uint32_t num_partitions = 1;
  uint64_t random_seed = 0;
};

// Assigns the nodes of one graph. Stateless; the result depends on content and
// options only. To add a method, write a subclass and add a line to
// MakePartitioner.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  // Returns the partition of each node, by node type and original id.
  virtual absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphContent& content, const PartitionOptions& options) const = 0;
};

// Returns the partitioner of `method`:
//   random: node i of each type goes to floor(position(i) * P / N), where
//     position is its place in a keyed permutation of 0..N-1
//     (docs/graph-format.md). Parts differ by at most one node.
//   metis: METIS's k-way partitioning (Karypis & Kumar, SIAM J. Sci. Comput.
//     1998) of the undirected graph without loops and parallel edges, all node
//     types in one graph; the seed is fixed. Up to 2^31 - 1 ends of edges.
// INVALID_ARGUMENT, naming the methods, for any other.
absl::StatusOr<std::unique_ptr<Partitioner>> MakePartitioner(
    const std::string& method);

// Runs the method of `options`. INVALID_ARGUMENT if num_partitions is not in 1
// to 65536; otherwise errors as Partitioner::Partition.
absl::StatusOr<NodePlan> PlanNodes(const GraphContent& content,
                                   const PartitionOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_
