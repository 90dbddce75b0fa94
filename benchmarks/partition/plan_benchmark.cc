// Measures a partitioner on edges in .npy files: time, memory and cut.
//
//   plan_benchmark FROM.npy TO.npy NODES METHOD PARTS WORK_FOLDER
//       [MEMORY_BYTES [BALANCE [cut|volume]]]
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

// Returns the peak of the process's memory in KiB.
uint64_t PeakKib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  uint64_t value = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> value;
  }
  return value;
}

absl::StatusOr<GraphSource> OpenGraph(char** argv) {
  GraphSource graph;
  graph.node_types.resize(1);
  graph.node_types[0].name = "node";
  graph.node_types[0].num_nodes = std::atoll(argv[3]);
  EdgeSource edges;
  edges.src = edges.dst = "node";
  edges.rel = "to";
  ASSIGN_OR_RETURN(ColumnPtr from, OpenNpyColumn({argv[1]}));
  ASSIGN_OR_RETURN(edges.from, AsInt64(from, argv[1]));
  ASSIGN_OR_RETURN(ColumnPtr to, OpenNpyColumn({argv[2]}));
  ASSIGN_OR_RETURN(edges.to, AsInt64(to, argv[2]));
  graph.edge_types.push_back(std::move(edges));
  return graph;
}

absl::Status Measure(int argc, char** argv) {
  ASSIGN_OR_RETURN(const GraphSource graph, OpenGraph(argv));
  PartitionOptions options;
  options.method = argv[4];
  options.num_partitions = static_cast<uint32_t>(std::atoi(argv[5]));
  PartitionContext context;
  context.work_folder = argv[6];
  if (argc > 7) context.memory_bytes = std::strtoull(argv[7], nullptr, 10);
  if (argc > 8) {
    ASSIGN_OR_RETURN(options.balance, ParseBalance(argv[8]));
  }
  options.minimize_volume = argc > 9 && std::string(argv[9]) == "volume";
  const absl::Time began = absl::Now();
  context.progress = [&](std::string_view stage, uint64_t done,
                         uint64_t total) {
    std::fprintf(stderr, "%.1f s: %.*s %" PRIu64 "/%" PRIu64 "\n",
                 absl::ToDoubleSeconds(absl::Now() - began),
                 static_cast<int>(stage.size()), stage.data(), done, total);
  };
  ASSIGN_OR_RETURN(const NodePlan plan, PlanSource(graph, options, context));
  const double seconds = absl::ToDoubleSeconds(absl::Now() - began);
  const uint64_t peak = PeakKib();
  const auto& placed = plan.partition_of[0];
  std::vector<uint64_t> sizes(options.num_partitions, 0);
  for (const uint16_t p : placed) ++sizes[p];
  uint64_t cut = 0, edges = 0;
  const JointNodes nodes(graph);
  RETURN_IF_ERROR(ForEachEdge(graph, nodes, [&](uint64_t u, uint64_t v) {
    ++edges;
    cut += placed[u] != placed[v] ? 1 : 0;
  }));
  std::printf(
      "%s parts=%s seconds=%.1f Medges/s=%.1f peak_MB=%.0f cut=%.4f "
      "imbalance=%.3f\n",
      argv[4], argv[5], seconds,
      static_cast<double>(NumRowsRead(graph)) / seconds / 1e6,
      static_cast<double>(peak) / 1000.0 * 1.024,
      static_cast<double>(cut) / static_cast<double>(edges),
      static_cast<double>(*std::max_element(sizes.begin(), sizes.end())) *
          options.num_partitions / static_cast<double>(placed.size()));
  return absl::OkStatus();
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr,
                 "usage: plan_benchmark FROM.npy TO.npy NODES METHOD "
                 "PARTS WORK_FOLDER [MEMORY_BYTES [BALANCE "
                 "[cut|volume]]]\n");
    return 2;
  }
  const absl::Status status = tributary::Measure(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
