// Verifies the hot lists of a graph folder.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_LIST_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_LIST_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/partition_choice.h"

namespace tributary {

struct HotListCheckOptions {
  PartitionChoice partitions;      // that the folder has
  std::optional<uint64_t> sample;  // rows of each type to compare; none: all
  uint64_t random_seed = 0;        // chooses them
};

struct HotListVerified {
  std::string name;
  uint64_t rows = 0;      // of all node types
  uint64_t compared = 0;  // whose checksums were compared with the graph's rows
};

// Reads every byte of the hot lists in `folder`, a graph's, and checks their
// checksums and digests, that a list has each type that it must have, that each
// order is a permutation, that the ranks are its inverse by the graph's node
// maps, and that rows of these partitions have the listed CRC32Cs. Returns the
// lists by name. FAILED_PRECONDITION for a list of another layout or content;
// DATA_LOSS or NOT_FOUND names the file and what differs; errors as
// Graph::Open.
absl::StatusOr<std::vector<HotListVerified>> VerifyHotLists(
    const std::string& folder, const HotListCheckOptions& options = {});

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_HOT_LIST_CHECK_H_
