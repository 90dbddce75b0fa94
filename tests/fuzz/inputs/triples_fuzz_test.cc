// Fuzzes folders of triples, OGB's layout of knowledge graphs, with names of
// relations: any folder is refused with the name of a file, or becomes a graph
// that can be written, opened and verified. An input is a byte of options, then
// the text of several files: a line "=nodes", "=train", "=relation", ... starts
// raw/num-node-list.csv and so on. The options are bits: --add-reverse,
// --dedupe, --relation-names numbers.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/string_view.h"
#include "partition/format/testing/graph_builder.h"
#include "tests/fuzz/inputs/folder_input.h"
#include "tests/fuzz/inputs/section_files.h"

namespace tributary {
namespace {

struct FileName {
  absl::string_view title;
  const char* path;
};
constexpr FileName kFiles[] = {
    {"nodes", "raw/num-node-list.csv"},
    {"relations", "raw/num-relation-list.csv"},
    {"edges", "raw/num-edge-list.csv"},
    {"train", "raw/train.csv"},
    {"valid", "raw/valid.csv"},
    {"test", "raw/test.csv"},
    {"relation", "raw/relation.csv"},
    {"relname", "mapping/relidx2relname.csv"},
    {"relid", "mapping/reltype2relid.csv"},
};

// What memory a number of nodes or relations takes is the user's to judge; a
// fuzzer's is small.
bool AsksForMemory(const std::string& path) {
  constexpr double kMost = 500;
  constexpr double kNoMemory = 1e14;  // which the reader must refuse
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const double count = std::strtod(line.c_str(), nullptr);
  return count > kMost && count < kNoMemory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const TemporaryFolder folder, scratch;
  // A folder without triples is read by another reader (ogb_input).
  WriteFolderFile(folder.path(), "raw/num-relation-list.csv", "");
  ForEachSection({reinterpret_cast<const char*>(data), size},
                 [&](absl::string_view title, absl::string_view content) {
                   for (const FileName& file : kFiles) {
                     if (file.title != title) continue;
                     WriteFolderFile(folder.path(), file.path, content);
                   }
                 });
  if (AsksForMemory(folder.File("raw/num-node-list.csv")) ||
      AsksForMemory(folder.File("raw/num-relation-list.csv"))) {
    return 0;
  }
  const unsigned choice = data[0];
  InputOptions options;
  options.folder = folder.path();
  options.add_reverse = (choice & 1) != 0;
  options.dedupe = (choice & 2) != 0;
  if ((choice & 4) != 0) options.relation_names = "numbers";
  ReadWriteAndVerify(options, scratch.path());
  return 0;
}

}  // namespace tributary
