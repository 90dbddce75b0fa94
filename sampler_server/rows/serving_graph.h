// Opens a graph within the memory that this machine has for it.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/format/graph.h"

namespace tributary {

// Calls Graph::Open with the memory of this process (the machine's, or that of
// its cgroup) without `reserved` bytes, which batches may take, as the memory
// for the graph's arrays. Logs when features are read from their files. Errors
// are those of Graph::Open.
absl::StatusOr<std::shared_ptr<const Graph>> OpenServingGraph(
    const std::string& folder, OpenOptions options, uint64_t reserved);

// INVALID_ARGUMENT when `readers` is not in 1 to kMaxFeatureReaders.
absl::Status CheckFeatureReaders(int readers);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_
