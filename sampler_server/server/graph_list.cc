#include "sampler_server/server/graph_list.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

absl::Status CheckNew(const std::vector<ListedGraph>& sources,
                      absl::string_view folder) {
  for (const ListedGraph& source : sources) {
    if (source.folder != folder) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(folder, " is listed already"));
  }
  return absl::OkStatus();
}

absl::Status TakeLine(absl::string_view line, const PartitionChoice& partitions,
                      std::vector<ListedGraph>* sources) {
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (words.empty()) return absl::OkStatus();
  if (words.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(words.size(),
                     " words; allowed: FOLDER or FOLDER "
                     "PARTITIONS"));
  }
  RETURN_IF_ERROR(CheckNew(*sources, words[0]));
  ListedGraph source{words[0], partitions};
  if (words.size() == 2) {
    ASSIGN_OR_RETURN(source.partitions, PartitionChoice::Parse(words[1]));
  }
  sources->push_back(std::move(source));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ListedGraph>> ParseGraphFile(
    std::string_view text, std::string_view path,
    const PartitionChoice& partitions) {
  std::vector<ListedGraph> sources;
  int number = 0;
  const std::string lines(text);
  for (absl::string_view line : absl::StrSplit(lines, '\n')) {
    ++number;
    const absl::Status taken =
        TakeLine(line.substr(0, line.find('#')), partitions, &sources);
    if (taken.ok()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(path), ":", number, ": ", taken.message()));
  }
  if (!sources.empty()) return sources;
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(path), " lists no graph"));
}

absl::StatusOr<std::vector<ListedGraph>> ReadGraphFile(
    const std::string& path, const PartitionChoice& partitions) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMostBytes));
  return ParseGraphFile(text, path, partitions);
}

}  // namespace tributary
