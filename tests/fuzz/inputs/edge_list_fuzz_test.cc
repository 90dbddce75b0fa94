// Fuzzes edge lists: any text is refused with the file's name, or is a graph
// whose nodes are the distinct ids. The first byte of an input selects the kind
// of ids and what is read beside the ends.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/edge_list/edge_list.h"
#include "partition/source/file_column.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/scratch_file.h"

namespace tributary {
namespace {

std::vector<int64_t> Ids(const Column& column) {
  const auto ids = ReadValues<int64_t>(column, 0, column.num_rows());
  Must(ids.ok(), "a column that was parsed can be read");
  return *ids;
}

// Checks that the dictionary has an id for each node, in ascending order.
void CheckDictionary(const GraphSource& graph) {
  for (const auto& [name, path] : graph.id_files) {
    if (absl::StrContains(name, "bytes")) continue;
    const auto column = OpenNpyColumn({path});
    Must(column.ok(), "a dictionary can be read");
    const std::vector<int64_t> values = Ids(**column);
    const bool numbers = absl::StrContains(name, "numbers");
    Must(static_cast<int64_t>(values.size()) ==
             graph.node_types[0].num_nodes + (numbers ? 0 : 1),
         "a row for each node");
    for (size_t i = 1; i < values.size(); ++i) {
      Must(values[i - 1] < values[i], "ids ascend, and none is empty");
    }
  }
}

void CheckGraph(const GraphSource& graph, bool dense) {
  const EdgeSource& edges = graph.edge_types.at(0);
  const int64_t num_nodes = graph.node_types.at(0).num_nodes;
  const std::vector<int64_t> from = Ids(*edges.from), to = Ids(*edges.to);
  Must(from.size() == to.size(), "edges have two ends");
  std::vector<bool> seen(dense ? 0 : static_cast<size_t>(num_nodes), false);
  for (const auto* ends : {&from, &to}) {
    for (int64_t id : *ends) {
      Must(id >= 0 && id < num_nodes, "ids are in range");
      if (!dense) seen[id] = true;
    }
  }
  for (bool is_seen : seen) Must(is_seen, "each node is an end");
  if (edges.weight != nullptr) {
    Must(edges.weight->num_rows() == edges.num_rows(), "a weight an edge");
  }
  CheckDictionary(graph);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const ScratchFile file;
  file.Write({data + 1, size - 1});
  const unsigned choice = static_cast<uint8_t>(data[0] - '0');
  const char* const kKinds[] = {"auto", "dense", "number", "string"};
  InputOptions options;
  options.folder = file.path();
  options.layout.ids = kKinds[choice % 4];
  if (choice / 4 % 2 == 1) options.edge_weight = "2";
  options.step_memory = size_t{16} << 10;
  const TemporaryFolder folder;
  const auto graph = ReadEdgeList(options, Spool(folder.path()));
  if (graph.ok()) {
    CheckGraph(*graph, choice % 4 == 1);
  } else {
    Must(absl::StrContains(graph.status().message(), file.path()),
         "the message names the file");
  }
  return 0;
}

}  // namespace tributary
