// Fuzzes --assignment: any file is refused with its name, or places each node
// in a partition that there is; written and read again it places them the same.
// The first byte of an input selects the file: 'n' an .npy file, 't' a text,
// 'z' a text that is compressed first, 'f' a folder of text sections, "=a.txt",
// "=b.npy" and so on, for a graph of the types a and b.
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "tests/fuzz/inputs/section_files.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr int64_t kNumNodes = 3;
constexpr uint32_t kNumPartitions = 4;

void WriteFile(const std::string& path, absl::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Writes files of the names that a folder may have, and of some others.
void WriteSections(const std::string& folder, absl::string_view text) {
  std::filesystem::create_directory(folder);
  ForEachSection(text, [&](absl::string_view title, absl::string_view content) {
    for (const absl::string_view name :
         {"a.txt", "a.npy", "a.txt.gz", "a.ranks.npy", "b.txt", "b.npy",
          "c.txt", "readme"}) {
      if (title == name) WriteFile(absl::StrCat(folder, "/", title), content);
    }
  });
}

void WriteCompressed(const std::string& path, absl::string_view content) {
  const gzFile file = gzopen(path.c_str(), "wb1");
  Must(file != nullptr, "a file can be made");
  for (const char c : content) Must(gzputc(file, c) >= 0, "and written");
  Must(gzclose(file) == Z_OK, "and closed");
}

GraphSource MakeGraph(bool two_types) {
  GraphSource graph;
  graph.node_types.push_back({.name = "a", .num_nodes = kNumNodes});
  if (two_types) graph.node_types.push_back({.name = "b", .num_nodes = 1});
  return graph;
}

absl::StatusOr<NodePlan> Plan(const GraphSource& graph,
                              const std::string& path) {
  PartitionOptions options;
  options.method = "assignment";
  options.num_partitions = kNumPartitions;
  options.assignment = path;
  return PlanSource(graph, options, {});
}

void CheckPlan(const GraphSource& graph, const NodePlan& plan,
               const std::string& again) {
  Must(plan.partition_of.size() == graph.node_types.size(), "all types");
  std::filesystem::create_directory(again);
  for (size_t t = 0; t < graph.node_types.size(); ++t) {
    const std::vector<uint16_t>& of = plan.partition_of[t];
    Must(static_cast<int64_t>(of.size()) == graph.node_types[t].num_nodes,
         "each node has a partition");
    std::string text;
    for (const uint16_t partition : of) {
      Must(partition < kNumPartitions, "the partition is there");
      absl::StrAppend(&text, partition, "\n");
    }
    WriteFile(absl::StrCat(again, "/", graph.node_types[t].name, ".txt"), text);
  }
  const auto reread = Plan(graph, again);
  Must(reread.ok() && reread->partition_of == plan.partition_of,
       "it is the same when written and read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TemporaryFolder folder;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  std::string path = folder.File("given");
  if (data[0] == 'n') {
    path += ".npy";
    WriteFile(path, rest);
  } else if (data[0] == 'z') {
    WriteCompressed(path, rest);
  } else if (data[0] == 'f') {
    WriteSections(path, rest);
  } else {
    WriteFile(path, rest);
  }
  const GraphSource graph = MakeGraph(data[0] == 'f');
  const auto plan = Plan(graph, path);
  if (plan.ok()) {
    CheckPlan(graph, *plan, folder.File("again"));
  } else {
    Must(absl::StrContains(plan.status().message(), path),
         "the message names the file");
  }
  return 0;
}

}  // namespace tributary
