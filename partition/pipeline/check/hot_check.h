// Verifies the cache of hot rows of a graph folder.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "partition/schema/partition_choice.h"

namespace tributary {

struct HotRowsVerified {
  uint64_t rows = 0;      // of the caches; 0 if there is none
  uint64_t compared = 0;  // of them, with their owners'
};

// Reads every byte of the caches of `partitions` in `folder`, a graph's, and
// checks checksums, that each partition has rows of other partitions only,
// ascending, and that every row equals its owner's. The folder may lack other
// partitions: rows of these are compared with nothing. FAILED_PRECONDITION for
// a cache of another layout; DATA_LOSS or NOT_FOUND names the file, and the row
// that differs; errors as Graph::Open.
absl::StatusOr<HotRowsVerified> VerifyHotCache(
    const std::string& folder, const PartitionChoice& partitions = {});

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_CHECK_H_
