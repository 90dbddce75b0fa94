// Fuzzes folders of arrays, by the names of the arrays and by --config: any
// folder is refused with the name of a file, or becomes a graph that can be
// written, opened and verified. An input is a byte of options, then the text of
// several files: a line "=edge_index.npy" or "=paper/x.npy" starts an array, as
// text (array_text.h); "=config.json" starts the config, and is given to
// --config; "=users.csv" a table. The options are bits: --add-reverse,
// --dedupe, --edge-masks mask, arrays are in an .npz file.
#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/tensor/npz.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/layout/layout_json.h"
#include "tests/fuzz/inputs/array_text.h"
#include "tests/fuzz/inputs/folder_input.h"
#include "tests/fuzz/inputs/section_files.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

// The arrays that an .npz file can hold: those of a DType.
class Archive {
 public:
  // Returns false if the file is none of these arrays.
  bool Add(absl::string_view title, absl::string_view content) {
    if (!IsFolderFile(title) || !absl::ConsumeSuffix(&title, ".npy")) {
      return false;
    }
    std::optional<ArrayOfText> array = ParseArrayText(content);
    if (!array.has_value()) return false;
    for (int code = 1; code <= static_cast<int>(DType::kBool); ++code) {
      const auto dtype = static_cast<DType>(code);
      if (NpyTypeOf(dtype) != array->type) continue;
      int64_t elements = 1;
      for (const int64_t dim : array->shape) elements *= dim;
      array->bytes.resize(static_cast<size_t>(elements) * DTypeSize(dtype));
      for (const TensorView& tensor : tensors_) {
        if (tensor.name == title) return false;
      }
      arrays_.push_back(*std::move(array));
      const ArrayOfText& kept = arrays_.back();
      tensors_.push_back({std::string(title),
                          dtype,
                          {kept.shape.begin(), kept.shape.end()},
                          {reinterpret_cast<const uint8_t*>(kept.bytes.data()),
                           kept.bytes.size()}});
      return true;
    }
    return false;
  }
  void Write(const std::string& path) const {
    if (tensors_.empty()) return;
    Must(WriteNpz(path, tensors_).ok(), "arrays are written");
  }

 private:
  std::list<ArrayOfText> arrays_;
  std::vector<TensorView> tensors_;
};

// Whether the config names no file outside of its folder, and none of Parquet,
// which another program reads.
bool IsForUs(const std::string& config) {
  const auto layout = ReadGraphLayout(config);
  if (!layout.ok()) return true;
  for (const std::string& file : layout->Files()) {
    absl::string_view name = file;
    if (!absl::ConsumePrefix(&name, layout->folder + "/") ||
        absl::StrContains(name, "..") || absl::EndsWith(name, ".parquet")) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TemporaryFolder folder, scratch;
  const unsigned choice = data[0];
  Archive archive;
  ForEachSection({reinterpret_cast<const char*>(data), size},
                 [&](absl::string_view title, absl::string_view content) {
                   if ((choice & 8) != 0 && archive.Add(title, content)) return;
                   WriteFolderFile(folder.path(), title, content);
                 });
  archive.Write(folder.File("arrays.npz"));
  InputOptions options;
  options.folder = folder.path();
  options.format = "npy";
  options.step_memory = 64;  // several passes for a few rows
  options.add_reverse = (choice & 1) != 0;
  options.dedupe = (choice & 2) != 0;
  const std::string config = folder.File("config.json");
  if (std::filesystem::exists(config)) {
    if (!IsForUs(config)) return 0;
    options.layout.config = config;
  } else if ((choice & 4) != 0) {
    options.edge_masks = {"mask"};
  }
  ReadWriteAndVerify(options, scratch.path());
  return 0;
}

}  // namespace tributary
