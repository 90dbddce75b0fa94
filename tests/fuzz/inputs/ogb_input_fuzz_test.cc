// Fuzzes the reader of OGB's layouts: any folder either becomes a graph that
// can be written, opened and verified, or is refused. An input is a text of
// several files: a line "=edge", "=node-feat", ... starts raw/edge.csv and so
// on, and the lines after it are the content. "=types" or "=triplets" selects
// the heterogeneous layout with the types a and b and the relations a,r,b and
// b,s,b. The reader is told of the files of weights, times and the mask that
// exist.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "absl/strings/string_view.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"
#include "tests/fuzz/inputs/section_files.h"
#include "tests/fuzz/inputs/write_and_verify.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

struct FileName {
  absl::string_view title;
  const char* path;
};
constexpr FileName kFiles[] = {
    {"edge", "raw/edge.csv"},
    {"nodes", "raw/num-node-list.csv"},
    {"edges", "raw/num-edge-list.csv"},
    {"node-feat", "raw/node-feat.csv"},
    {"node-label", "raw/node-label.csv"},
    {"edge-feat", "raw/edge-feat.csv"},
    {"weight", "raw/weight.csv"},
    {"time", "raw/time.csv"},
    {"mask", "raw/mask.csv"},
    {"node-time", "raw/node-time.csv"},
    {"train", "split/random/train.csv"},
    {"valid", "split/random/valid.csv"},
    {"types", "raw/num-node-dict.csv"},
    {"triplets", "raw/triplet-type-list.csv"},
    {"r-edge", "raw/relations/a___r___b/edge.csv"},
    {"r-edges", "raw/relations/a___r___b/num-edge-list.csv"},
    {"r-edge-feat", "raw/relations/a___r___b/edge-feat.csv"},
    {"r-weight", "raw/relations/a___r___b/weight.csv"},
    {"r-time", "raw/relations/a___r___b/time.csv"},
    {"r-mask", "raw/relations/a___r___b/mask.csv"},
    {"s-edge", "raw/relations/b___s___b/edge.csv"},
    {"s-edges", "raw/relations/b___s___b/num-edge-list.csv"},
    {"a-feat", "raw/node-feat/a/node-feat.csv"},
    {"b-label", "raw/node-label/b/node-label.csv"},
    {"has-feat", "raw/nodetype-has-feat.csv"},
    {"has-label", "raw/nodetype-has-label.csv"},
    {"b-train", "split/random/b/train.csv"},
    {"has-split", "split/random/nodetype-has-split.csv"},
};
// What memory a number of nodes takes is the user's to judge; a fuzzer's is
// small.
constexpr double kMostNodes = 1e5;
constexpr double kNoMemory = 1e13;  // which the reader must refuse

void WriteFile(const fs::path& folder, absl::string_view title,
               absl::string_view content) {
  for (const FileName& file : kFiles) {
    if (file.title != title) continue;
    fs::create_directories((folder / file.path).parent_path());
    std::ofstream(folder / file.path, std::ios::binary) << content;
  }
}

// Of all numbers in a file of counts.
double SumOf(const fs::path& path) {
  std::ifstream file(path);
  std::string line, cell;
  double sum = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) {
      sum += std::max(0.0, std::strtod(cell.c_str(), nullptr));
    }
  }
  return sum;
}

bool AsksForMemory(const fs::path& folder) {
  const double nodes = std::max(SumOf(folder / "raw/num-node-list.csv"),
                                SumOf(folder / "raw/num-node-dict.csv"));
  return nodes > kMostNodes && nodes < kNoMemory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TemporaryFolder folder;
  ForEachSection({reinterpret_cast<const char*>(data), size},
                 [&](absl::string_view title, absl::string_view content) {
                   WriteFile(folder.path(), title, content);
                 });
  if (AsksForMemory(folder.path())) return 0;
  InputOptions options;
  options.folder = folder.path();
  options.name = "fuzz";
  options.add_reverse = data[0] & 1;
  options.dedupe = data[0] & 2;
  const auto name = [&](const char* file, std::optional<std::string>& option) {
    for (const char* at : {"raw/", "raw/relations/a___r___b/"}) {
      if (fs::exists(folder.File(std::string(at) + file + ".csv"))) {
        option = file;
      }
    }
  };
  name("weight", options.edge_weight);
  name("time", options.edge_time);
  name("node-time", options.node_time);
  std::optional<std::string> mask;
  name("mask", mask);
  if (mask.has_value()) options.edge_masks = {*mask};
  const auto input = ReadInput(options);
  if (!input.ok()) return 0;
  Must(WriteAndVerify(input->content, folder.File("graph")).ok(),
       "what was read can be written");
  return 0;
}

}  // namespace tributary
