// Which partition each node goes to.
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

struct PartitionOptions {
  std::string method = "random";
  uint32_t num_partitions = 1;
  uint64_t random_seed = 0;
};

// Places the nodes of one graph. A new method is a subclass and a line in
// MakePartitioner. Stateless; a pure function of content and options.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  // By node type and original id.
  virtual absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphContent& content, const PartitionOptions& options) const = 0;
};

// random: of each type, node i goes to floor(position(i) * P / N), position
//   being its place in a keyed permutation of 0..N-1 (docs/graph-format.md):
//   parts differ by one node at most.
// metis: METIS's k-way partitioning (Karypis & Kumar, SIAM J. Sci. Comput.
//   1998) of the graph taken as undirected, without loops and parallels, node
//   types in one graph; the seed is fixed. Up to 2^31 - 1 ends of edges.
// INVALID_ARGUMENT, naming the methods, for another.
absl::StatusOr<std::unique_ptr<Partitioner>> MakePartitioner(
    const std::string& method);

// Runs the method of `options`. INVALID_ARGUMENT when num_partitions is not 1
// to 65536.
absl::StatusOr<NodePlan> PlanNodes(const GraphContent& content,
                                   const PartitionOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_PARTITIONER_H_
