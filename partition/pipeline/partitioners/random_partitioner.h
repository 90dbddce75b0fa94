// Assigns nodes at random, in parts of equal size.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_RANDOM_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_RANDOM_PARTITIONER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_method.h"

namespace tributary {

// Method "random"; see MakePartitioner. Does not read the edges.
class RandomPartitioner final : public Partitioner {
 public:
  absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphSource& graph, const PartitionOptions& options,
      const PartitionContext& context) const override;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_RANDOM_PARTITIONER_H_
