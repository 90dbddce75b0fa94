// The memory that a graph's arrays take, and the choice whether its features
// are mapped.
#ifndef TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_
#define TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/feature_memory.h"
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

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_
