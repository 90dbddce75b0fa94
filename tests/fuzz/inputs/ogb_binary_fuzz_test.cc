// Fuzzes OGB's binary layout. The first byte of an input selects what it is:
//
// - 'z': the bytes of raw/data.npz. Its members are listed and opened, inflated
//   where they are compressed: each lies in the archive or is refused.
// - any other: a script of arrays (ScriptReader), written as valid .npz files
//   of one graph, or of a typed graph with the types a and b and the relation
//   a,r,b; bit 0 selects which, bit 1 compresses them. The folder is refused,
//   or becomes a graph that can be written, opened and verified.
#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/tensor/npz.h"
#include "common/text/status.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/inputs/ogb/binary/array_columns.h"
#include "partition/pipeline/inputs/ogb/binary/npz_arrays.h"
#include "tests/fuzz/inputs/write_and_verify.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

struct ArrayName {
  const char* file;
  const char* array;
};
constexpr ArrayName kOneGraph[] = {
    {"data", "num_nodes_list"}, {"data", "num_edges_list"},
    {"data", "edge_index"},     {"data", "node_feat"},
    {"data", "edge_feat"},      {"data", "weight"},
    {"data", "time"},           {"data", "mask"},
    {"data", "other"},          {"node-label", "node_label"},
};
constexpr ArrayName kTypedGraph[] = {
    {"num_nodes_dict", "a"},         {"num_nodes_dict", "b"},
    {"num_edges_dict", "a___r___b"}, {"edge_index_dict", "a___r___b"},
    {"node_feat_dict", "a"},         {"node-label", "b"},
    {"edge_feat_dict", "a___r___b"}, {"weight_dict", "a___r___b"},
    {"time_dict", "a___r___b"},      {"mask_dict", "a___r___b"},
    {"num_edges_dict", "b___s___a"}, {"edge_index_dict", "b___s___a"},
};
// What memory a number of nodes takes is the user's to judge; a fuzzer's is
// small.
constexpr int64_t kMostNodes = 100'000;

struct Array {
  DType dtype = DType::kInt64;
  Shape shape;
  std::vector<uint8_t> bytes;
};
using Files = std::map<std::string, std::map<std::string, Array>>;

// Reads arrays: a byte each for which of the names it has, for its type, for
// the number of its dimensions, for each of these, and for each element, which
// is sign-extended where the type is wider; elements are 0 after the end.
class ScriptReader {
 public:
  explicit ScriptReader(absl::string_view script) : rest_(script) {}

  Files Read(absl::Span<const ArrayName> names) {
    Files files;
    while (!rest_.empty()) {
      const ArrayName& name = names[Take() % names.size()];
      files[name.file][name.array] = ReadArray();
    }
    return files;
  }

 private:
  uint8_t Take() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }

  Array ReadArray() {
    constexpr int kMaxDims = 4, kTypes = 10;
    constexpr int64_t kMaxElements = 4096;
    Array array;
    array.dtype = static_cast<DType>(Take() % kTypes + 1);
    int64_t count = 1;
    for (int dims = Take() % kMaxDims; dims > 0; --dims) {
      const auto dim = static_cast<int64_t>(Take());
      array.shape.push_back(std::min(dim, kMaxElements / std::max(1L, count)));
      count *= array.shape.back();
    }
    const size_t size = DTypeSize(array.dtype);
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t value = Take();
      const uint8_t sign = value < 0x80 ? 0 : 0xff;
      array.bytes.push_back(array.dtype == DType::kBool ? value & 1 : value);
      array.bytes.insert(array.bytes.end(), size - 1, sign);
    }
    return array;
  }

  absl::string_view rest_;
};

void Compress(const std::string& path) {
  zip_t* archive = zip_open(path.c_str(), 0, nullptr);
  Must(archive != nullptr, "the file is an archive");
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    Must(zip_set_file_compression(archive, i, ZIP_CM_DEFLATE, 1) == 0, "set");
  }
  Must(zip_close(archive) == 0, "it is written");
}

void WriteFiles(const Files& files, const std::string& folder, bool compress) {
  for (const auto& [file, arrays] : files) {
    std::vector<TensorView> tensors;
    for (const auto& [name, array] : arrays) {
      tensors.push_back({name, array.dtype, array.shape, array.bytes});
    }
    const std::string path = folder + "/raw/" + file + ".npz";
    Must(WriteNpz(path, tensors).ok(), "arrays are written");
    if (compress) Compress(path);
  }
}

// The largest number of nodes or edges in the script.
int64_t LargestCount(const Files& files) {
  int64_t most = 0;
  for (const auto& [file, arrays] : files) {
    for (const auto& [name, array] : arrays) {
      const bool is_count = name.find("num_") == 0 || file.find("num_") == 0;
      if (!is_count || array.bytes.size() != sizeof(int64_t)) continue;
      int64_t count = 0;
      std::copy_n(array.bytes.begin(), sizeof(count),
                  reinterpret_cast<uint8_t*>(&count));
      most = std::max(most, count);
    }
  }
  return most;
}

void CheckFolder(absl::string_view script, unsigned choice) {
  const TemporaryFolder folder;
  fs::create_directory(folder.File("raw"));
  const bool typed = (choice & 1) != 0;
  const auto names = typed ? absl::Span<const ArrayName>(kTypedGraph)
                           : absl::Span<const ArrayName>(kOneGraph);
  const Files files = ScriptReader(script).Read(names);
  if (LargestCount(files) > kMostNodes) return;
  WriteFiles(files, folder.path(), (choice & 2) != 0);
  InputOptions options;
  options.folder = folder.path();
  options.name = "fuzz";
  options.add_reverse = (choice & 4) != 0;
  options.dedupe = (choice & 8) != 0;
  const auto has = [&](const std::string& array) {
    const auto data = files.find("data");
    return typed ? files.contains(array + "_dict")
                 : data != files.end() && data->second.contains(array);
  };
  if (has("weight")) options.edge_weight = "weight";
  if (has("time")) options.edge_time = "time";
  if (has("mask")) options.edge_masks = {"mask"};
  const auto input = ReadInput(options);
  if (!input.ok()) return;
  const absl::Status written =
      WriteAndVerify(input->content, folder.File("graph"));
  // Weights that are no weights are found when they are summed.
  Must(written.ok() || absl::StartsWith(written.message(), "weight "),
       absl::StrCat("what was read can be written: ", written.message()));
}

// A column is as long as the array that it is of.
void CheckColumn(const FileArray& array) {
  const int64_t rows = array.header.shape.empty() ? 1 : array.header.shape[0];
  for (const auto open : {OpenFeatureArray, OpenLabelArray, OpenTimeArray,
                          OpenWeightArray, OpenMaskArray}) {
    const auto column = open(array, rows, "array");
    if (!column.ok()) continue;
    Must((*column)->num_rows() == rows, "as many rows");
    const uint64_t width = (*column)->schema().width();
    Must(static_cast<uint64_t>(rows) * width * array.header.type.size ==
             array.header.data_bytes(),
         "elements are those of the array");
    std::vector<uint8_t> out(rows * (*column)->schema().row_bytes());
    const absl::Status read = (*column)->Read(0, rows, out.data());
    Must(read.ok() || absl::IsInvalidArgument(read), "elements are there");
  }
}

void CheckArchive(absl::string_view bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.File("data.npz");
  std::ofstream(path, std::ios::binary) << bytes;
  const Spool spool(folder.path());
  const auto arrays = NpzArrays::Open(path, spool);
  if (!arrays.ok()) {
    Must(arrays.status().message().find(path) != absl::string_view::npos,
         "the message names the file");
    return;
  }
  for (const std::string& name : arrays->names()) {
    Must(arrays->Has(name), "a name is there");
    const auto array = arrays->Find(name);
    if (!array.ok()) continue;
    const uint64_t end = fs::file_size(array->path);
    Must(array->header.data_offset <= end &&
             array->header.data_bytes() <= end - array->header.data_offset,
         "an array lies in its file");
    CheckColumn(*array);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  if (data[0] == 'z') {
    CheckArchive(rest);
  } else {
    CheckFolder(rest, data[0]);
  }
  return 0;
}

}  // namespace tributary
