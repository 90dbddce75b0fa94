#include "sampler_server/rows/serving_graph.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/process/memory_limit.h"
#include "common/text/status.h"
#include "partition/format/graph_bytes.h"
#include "sampler_server/rows/disk_rows.h"

namespace tributary {

absl::StatusOr<std::shared_ptr<const Graph>> OpenServingGraph(
    const std::string& folder, OpenOptions options, uint64_t reserved) {
  const absl::StatusOr<MemoryLimit> limit = ReadMemoryLimit();
  if (limit.ok()) {
    options.memory = limit->total - std::min(limit->total, reserved);
  } else if (options.features == FeatureMemory::kAuto) {
    LogInfo(absl::StrCat("features are mapped, whatever memory there is: ",
                         limit.status().ToString()));
  }
  ASSIGN_OR_RETURN(auto graph, Graph::Open(folder, options));
  if (graph->reads_features()) {
    const GraphBytes bytes = GraphBytesOf(graph->schema(), graph->partitions());
    LogInfo(absl::StrCat("features, ", bytes.features >> 20,
                         " MiB, are read from their files; the rest, ",
                         bytes.rest >> 20, " MiB, is mapped"));
  }
  return graph;
}

absl::Status CheckFeatureReaders(int readers) {
  if (readers >= 1 && readers <= kMaxFeatureReaders) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--feature-readers is ",
                                                 readers, "; allowed: 1 to ",
                                                 kMaxFeatureReaders));
}

}  // namespace tributary
