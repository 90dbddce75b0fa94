// Fuzzes folders of DGL's chunked graph format: any folder is refused with the
// name of a file, or becomes a graph that can be written, opened and verified.
// An input is a byte of options, then the text of several files: a line
// "=metadata.json" starts that file, "=w0.txt" or "=x.npy" a chunk; arrays are
// text (array_text.h). Without a metadata.json the chunks are those of kTypes.
// The options are bits: --add-reverse, --dedupe,
// --edge-masks mask, --edge-weight w, --features f.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/dgl_chunked/dgl_metadata.h"
#include "tests/fuzz/inputs/folder_input.h"
#include "tests/fuzz/inputs/section_files.h"

namespace tributary {
namespace {

// What memory a number of nodes takes is the user's to judge; a fuzzer's is
// small.
constexpr int64_t kMostRows = 100'000;

// A graph whose arrays are in files of all kinds, so that mutations of the
// chunks alone are read.
constexpr char kTypes[] = R"({"graph_name": "g", "node_type": ["b", "a"],
  "num_nodes_per_type": [3, 2], "edge_type": ["a:r:b", "b:s:a"],
  "num_edges_per_chunk": [[2, 1], [3]], "edges": {
    "a:r:b": {"format": {"name": "csv", "delimiter": " "},
              "data": ["r0.txt", "r1.txt"]},
    "b:s:a": {"format": {"name": "numpy"}, "data": ["s.npy"]}},
  "node_data": {
    "a": {"f": {"format": {"name": "csv"}, "data": ["a-x.csv"]},
          "label": {"format": {"name": "csv"}, "data": ["a-y.csv"]}},
    "b": {"f": {"format": {"name": "numpy"}, "data": ["b-x.npy", "b-x1.npy"]},
          "label": {"format": {"name": "numpy"}, "data": ["b-y.npy"]},
          "time": {"format": {"name": "csv"}, "data": ["b-time.csv"]},
          "train_mask": {"format": {"name": "numpy"}, "data": ["b-t.npy"]}}},
  "edge_data": {
    "a:r:b": {"w": {"format": {"name": "csv"}, "data": ["r-w.csv"]},
              "mask": {"format": {"name": "csv"}, "data": ["r-m.csv"]},
              "test_mask": {"format": {"name": "csv"}, "data": ["r-m.csv"]}},
    "b:s:a": {"w": {"format": {"name": "numpy"}, "data": ["s-w.npy"]},
              "feat": {"format": {"name": "numpy"}, "data": ["s-x.npy"]},
              "time": {"format": {"name": "numpy"}, "data": ["s-t.npy"]},
              "mask": {"format": {"name": "numpy"}, "data": ["s-m.npy"]}}}})";

// Whether the files are in the folder and are read by this process, not by
// tributary-parquet.
bool IsOwn(const ChunkFiles& files) {
  for (const std::string& path : files.paths) {
    if (absl::StrContains(path, '/') || absl::StrContains(path, "..")) {
      return false;
    }
  }
  return files.format != ChunkFiles::Format::kParquet;
}

template <typename Type>
bool AreOwn(const Type& type) {
  for (const auto& [name, files] : type.data) {
    if (!IsOwn(files)) return false;
  }
  return true;
}

// Whether the folder names no file outside of it, and counts that fit.
bool IsForUs(const std::string& folder) {
  std::ifstream file(folder + "/metadata.json", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto metadata = ParseDglMetadata(text, "metadata.json");
  if (!metadata.ok()) return true;
  for (const DglNodeType& type : metadata->node_types) {
    if (!AreOwn(type) || type.nodes.total > kMostRows) return false;
  }
  for (const DglEdgeType& type : metadata->edge_types) {
    if (!AreOwn(type) || !IsOwn(type.ends)) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TemporaryFolder folder, scratch;
  WriteFolderFile(folder.path(), "metadata.json", kTypes);
  ForEachSection({reinterpret_cast<const char*>(data), size},
                 [&](absl::string_view title, absl::string_view content) {
                   WriteFolderFile(folder.path(), title, content);
                 });
  if (!IsForUs(folder.path())) return 0;
  const unsigned choice = data[0];
  InputOptions options;
  options.folder = folder.path();
  options.format = "dgl-chunked";
  options.add_reverse = (choice & 1) != 0;
  options.dedupe = (choice & 2) != 0;
  if ((choice & 4) != 0) options.edge_masks = {"mask"};
  if ((choice & 8) != 0) options.edge_weight = "w";
  if ((choice & 16) != 0) options.layout.features = {"f"};
  ReadWriteAndVerify(options, scratch.path());
  return 0;
}

}  // namespace tributary
