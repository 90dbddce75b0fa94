// A graph opened for a server of this machine's memory.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/format/graph.h"

namespace tributary {

// Graph::Open, where the arrays may take the memory of this process (the
// machine's, or its cgroup's) but `reserved` bytes, which batches may take.
// Says in the log when features are read from their files.
absl::StatusOr<std::shared_ptr<const Graph>> OpenServingGraph(
    const std::string& folder, OpenOptions options, uint64_t reserved);

// INVALID_ARGUMENT beyond 1 to kMaxFeatureReaders.
absl::Status CheckFeatureReaders(int readers);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_
