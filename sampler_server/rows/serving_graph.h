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

// Memory for other things than a graph, in bytes.
struct MemoryBeside {
  uint64_t batches = 0;  // also caches and other graphs
  uint64_t tensors = 0;  // rows that trainers change
};

// Calls Graph::Open with the memory of this process (the machine's, or that of
// its cgroup) that batches leave as the memory for the graph's arrays, and half
// of what is free, and left by tensors, too, for copies of them. With
// HugePages::kAuto nothing is copied if the system makes no huge pages. Logs
// when features are read from their files, and what was copied. Errors are
// those of Graph::Open.
absl::StatusOr<std::shared_ptr<const Graph>> OpenServingGraph(
    const std::string& folder, OpenOptions options, const MemoryBeside& beside);

// INVALID_ARGUMENT when `readers` is not in 1 to kMaxFeatureReaders.
absl::Status CheckFeatureReaders(int readers);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_SERVING_GRAPH_H_
