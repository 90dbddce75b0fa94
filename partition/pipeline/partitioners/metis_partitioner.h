// Assigns nodes with METIS, so that few edges are cut.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_PARTITIONER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/partitioner.h"

namespace tributary {

// Method "metis"; see MakePartitioner. If there are no more nodes than
// partitions, node i goes to partition i. RESOURCE_EXHAUSTED if METIS lacks
// memory or its 32-bit indices do not suffice.
class MetisPartitioner final : public Partitioner {
 public:
  absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphContent& content,
      const PartitionOptions& options) const override;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_PARTITIONER_H_
