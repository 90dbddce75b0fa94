// How much memory a graph's arrays take, and whether its features are mapped.
#ifndef TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_
#define TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/schema.h"

namespace tributary {

// Bytes of files. Features are what can be large and is only copied: x of
// nodes and edge_attr of edges. Labels are small, and sampling reads the rest.
struct GraphBytes {
  uint64_t features = 0;
  uint64_t rest = 0;
};

// Of these partitions and of what every server maps.
GraphBytes GraphBytesOf(const GraphSchema& schema,
                        const std::vector<uint32_t>& partitions);

// True when features are to be read from their files, so that `memory` bytes
// are enough. FAILED_PRECONDITION, naming the options, when they are not even
// then; kResident always maps.
absl::StatusOr<bool> ReadsFeatures(const GraphBytes& bytes, FeatureMemory where,
                                   uint64_t memory);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_GRAPH_BYTES_H_
