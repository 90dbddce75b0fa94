// Writes a hot list of a finished graph folder.
#ifndef TRIBUTARY_PARTITION_WRITER_HOT_HOT_LIST_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_HOT_HOT_LIST_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "partition/format/graph.h"

namespace tributary {

// The list by degree alone, which every graph has.
inline constexpr char kDegreeList[] = "degree";

struct HotListRequest {
  std::string folder;  // of the graph
  std::string name;    // of the list: of letters, digits, '.', '_' and '-'
  // How often the nodes of each type are read, by node type and original id;
  // empty: not known of any.
  std::vector<absl::Span<const uint32_t>> counts;
  std::string made_by;
  bool flush = true;
};

// Orders the rows of each node type with x or y by their counts, then by
// out-degree over all edge types from it, both descending, then by original id;
// so the same graph has the same list whatever its partitions are. Writes it in
// the place of an older list of the name; without success nothing is changed.
// `graph` has all partitions. Holds 20 bytes for each node of the largest type
// and a few MiB. Types of 2^32 - 1 nodes and more are left out.
// INVALID_ARGUMENT for a name that is none; RESOURCE_EXHAUSTED if the disk is
// full; DATA_LOSS or ABORTED, naming the file, for a row that cannot be read.
// Returns the digest.
absl::StatusOr<Sha256Digest> WriteHotList(const Graph& graph,
                                          const HotListRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_HOT_HOT_LIST_WRITER_H_
