// Verifies a graph folder that has some of its partitions.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_PARTITIONS_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_PARTITIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "partition/schema/partition_choice.h"

namespace tributary {

// Checks the files that a server of `partitions` reads: their lengths, headers
// and checksums, and the layout digest of graph.json; structure only as far as
// Graph::Open does. Returns that digest as hexadecimal digits. Errors name the
// file: NOT_FOUND, DATA_LOSS, INVALID_ARGUMENT; the last also for a partition
// that the graph does not have.
absl::StatusOr<std::string> VerifyPartitions(const std::string& folder,
                                             const PartitionChoice& partitions);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_PARTITIONS_H_
