// The memory that a graph's arrays take, and the choices whether its features
// are mapped, and what is copied into huge pages.
#ifndef TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_
#define TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/huge_pages.h"
#include "partition/schema/schema.h"

namespace tributary {

// Sizes of files. Features are x of nodes and edge_attr of edges: they can be
// large and are only copied. The rest is needed for sampling; labels are small.
struct GraphBytes {
  uint64_t features = 0;
  uint64_t rest = 0;
};

// Returns the bytes of these partitions and of the arrays that every server
// maps.
GraphBytes GraphBytesOf(const GraphSchema& schema,
                        const std::vector<uint32_t>& partitions);

// Returns whether features are to be read from their files instead of mapped,
// so that `memory` bytes suffice. FAILED_PRECONDITION, naming the options, if
// they do not suffice even then. With kResident returns false without a check.
absl::StatusOr<bool> ReadsFeatures(const GraphBytes& bytes, FeatureMemory where,
                                   uint64_t memory);

// Which arrays are copied instead of mapped.
struct CopiedArrays {
  bool features = false;
  bool rest = false;
  bool reserved = false;  // into pages that the system has reserved
};

// Returns what is copied of a graph whose features are read from their files if
// `reads_features`. With kAuto what fits into `memory` bytes: first what draws
// read, then features.
CopiedArrays ChooseCopies(const GraphBytes& bytes, bool reads_features,
                          HugePages huge_pages, uint64_t memory);

// Returns whether the array of this path in a graph's folder holds features.
bool IsFeatureFile(absl::string_view path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_
