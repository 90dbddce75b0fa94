#include "sampler_server/rows/serving_graph.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/observe/log.h"
#include "common/process/memory_limit.h"
#include "common/text/status.h"
#include "partition/format/graph_bytes.h"
#include "sampler_server/rows/disk_rows.h"

namespace tributary {
namespace {

// Of smaller copies nothing is said.
constexpr uint64_t kWorthSaying = uint64_t{64} << 20;

// Returns the bytes of this process's own memory that lie in huge pages, as far
// as the system tells.
uint64_t BytesInHugePages() {
  std::ifstream file("/proc/self/smaps_rollup");
  uint64_t kibibytes = 0;
  for (std::string name; file >> name;) {
    uint64_t value = 0;
    if ((name == "AnonHugePages:" || name == "Private_Hugetlb:") &&
        file >> value) {
      kibibytes += value;
    }
  }
  return kibibytes << 10;
}

// Whether the system makes huge pages of small ones where that is asked for.
bool MakesHugePages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string chosen;
  while (file >> chosen) {
    if (chosen.front() == '[') return chosen != "[never]";
  }
  return false;
}

void LogCopies(const Graph& graph, const OpenOptions& options,
               uint64_t huge_before, absl::Duration took) {
  const GraphBytes bytes = GraphBytesOf(graph.schema(), graph.partitions());
  if (graph.copied_bytes() >= kWorthSaying) {
    const uint64_t huge = BytesInHugePages();
    LogInfo(absl::StrCat("graph '", graph.schema().name, "': copied ",
                         graph.copied_bytes() >> 20, " MiB of it into memory, ",
                         (huge - std::min(huge, huge_before)) >> 20,
                         " MiB in huge pages; opened in ",
                         absl::FormatDuration(took)));
  } else if (options.huge_pages == HugePages::kAuto &&
             bytes.rest > std::max(options.copy_memory, kWorthSaying)) {
    LogInfo(absl::StrCat("graph '", graph.schema().name,
                         "' is mapped: a copy in huge pages takes ",
                         bytes.rest >> 20, " MiB without its features, and ",
                         options.copy_memory >> 20, " MiB are left for one"));
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Graph>> OpenServingGraph(
    const std::string& folder, OpenOptions options,
    const MemoryBeside& beside) {
  const absl::StatusOr<MemoryLimit> limit = ReadMemoryLimit();
  if (limit.ok()) {
    options.memory = limit->total - std::min(limit->total, beside.batches);
    const uint64_t left =
        options.memory - std::min(options.memory, beside.tensors);
    options.copy_memory = std::min(left, limit->free) / 2;
  } else if (options.features == FeatureMemory::kAuto) {
    LogInfo(absl::StrCat("features are mapped, whatever memory there is: ",
                         limit.status().ToString()));
  }
  if (options.huge_pages == HugePages::kAuto && !MakesHugePages()) {
    options.huge_pages = HugePages::kOff;
  }
  const bool copies = options.huge_pages != HugePages::kOff;
  const uint64_t huge = copies ? BytesInHugePages() : 0;
  const absl::Time begun = absl::Now();
  ASSIGN_OR_RETURN(auto graph, Graph::Open(folder, options));
  if (copies) {
    LogCopies(*graph, options, huge,
              absl::Floor(absl::Now() - begun, absl::Milliseconds(1)));
  }
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
