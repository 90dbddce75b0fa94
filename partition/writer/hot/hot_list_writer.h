// Writes a hot list of a finished graph folder.
#ifndef TRIBUTARY_PARTITION_WRITER_HOT_HOT_LIST_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_HOT_HOT_LIST_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "partition/format/graph.h"

namespace tributary {

struct HotListRequest {
  std::string folder;  // of the graph
  std::string name;    // of the list (CheckHotListName)
  // How often the nodes of each type are read, by node type and original id;
  // empty: not known of any.
  std::vector<absl::Span<const uint32_t>> counts;
  std::string made_by;
  bool flush = true;
};

// Writes the list of each node type that lists have (IsListed), in the order of
// NodeRanking; so rows that nothing has read follow by degree, and the same
// graph has the same list whatever its partitions are. The list appears whole,
// in the place of an older one of its name; without success nothing is changed.
// `graph` is that of the folder, with all partitions; it is best opened with
// features that are read (kPaged). Holds 12 bytes for each node of the largest
// type and some 6 MiB. Returns the list's digest.
//
// INVALID_ARGUMENT for a name that lists do not have; RESOURCE_EXHAUSTED if the
// disk is full; DATA_LOSS or ABORTED, naming the file, for a graph that cannot
// be read.
absl::StatusOr<Sha256Digest> WriteHotList(const Graph& graph,
                                          const HotListRequest& request);

// Returns about how many bytes a list of the graph takes on the disk.
uint64_t HotListBytes(const GraphSchema& schema);
// Returns the bytes of memory that making one takes.
uint64_t HotListMemory(const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_HOT_HOT_LIST_WRITER_H_
