// Verifies the cache of hot rows of a graph folder.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_CHECK_H_

#include <string>

#include "absl/status/statusor.h"

namespace tributary {

// Reads every byte of the cache in `folder`, a graph's, and checks checksums,
// that each partition has rows of other partitions only, ascending, and that
// every row equals its owner's. Returns the number of rows; 0 if there is no
// cache. FAILED_PRECONDITION for a cache of another layout; DATA_LOSS or
// NOT_FOUND names the file, and the row that differs; errors as Graph::Open.
absl::StatusOr<uint64_t> VerifyHotCache(const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_CHECK_H_
