#include "tests/fuzz/inputs/folder_input.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/source/spool.h"
#include "tests/fuzz/inputs/array_text.h"
#include "tests/fuzz/inputs/write_and_verify.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

bool IsFileName(absl::string_view name) {
  constexpr size_t kLongest = 100;
  if (name.empty() || name.size() > kLongest || name[0] == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("_-,;.", c);
  });
}

absl::StatusOr<GraphContent> ReadContent(const InputOptions& options,
                                         const std::string& scratch) {
  constexpr int64_t kMostNodes = 100'000;
  const std::string spool = scratch + "/spool";
  fs::create_directory(spool);
  ASSIGN_OR_RETURN(const GraphSource graph, ReadSource(options, Spool(spool)));
  int64_t nodes = 0;
  for (const NodeSource& type : graph.node_types) {
    nodes = std::max(nodes, type.num_nodes);
  }
  if (nodes > kMostNodes) return GraphContent();
  return LoadContent(graph);
}

}  // namespace

bool IsFolderFile(absl::string_view title) {
  const std::vector<absl::string_view> names = absl::StrSplit(title, '/');
  return names.size() <= 2 &&
         std::all_of(names.begin(), names.end(), IsFileName);
}

void WriteFolderFile(const std::string& folder, absl::string_view title,
                     absl::string_view content) {
  if (!IsFolderFile(title)) return;
  const fs::path path = fs::path(folder) / std::string(title);
  std::error_code error;  // a file may have the folder's name
  fs::create_directory(path.parent_path(), error);
  std::ofstream(path, std::ios::binary)
      << (absl::EndsWith(title, ".npy") ? NpyOfText(content)
                                        : std::string(content));
}

void ReadWriteAndVerify(const InputOptions& options,
                        const std::string& scratch) {
  const auto content = ReadContent(options, scratch);
  if (!content.ok()) {
    Must(
        absl::StrContains(content.status().message(), options.folder),
        absl::StrCat("the message names a file: ", content.status().message()));
    return;
  }
  if (content->node_types.empty()) return;
  const absl::Status written = WriteAndVerify(*content, scratch + "/graph");
  // Weights that are no weights are found when they are summed.
  Must(written.ok() || absl::StartsWith(written.message(), "weight "),
       absl::StrCat("what was read can be written: ", written.message()));
}

}  // namespace tributary
