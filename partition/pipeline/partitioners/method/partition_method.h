// The interface of methods that assign nodes to partitions.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_PARTITION_METHOD_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_PARTITION_METHOD_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_options.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Assigns the nodes of one graph. Stateless; the result depends on graph and
// options only. To add a method, write a subclass and add a line to
// MakePartitioner.
class Partitioner {
 public:
  virtual ~Partitioner() = default;
  // Returns the partition of each node, by node type and original id. Requires
  // options that CheckPartitionOptions accepts.
  virtual absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphSource& graph, const PartitionOptions& options,
      const PartitionContext& context) const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_PARTITION_METHOD_H_
