#include "partition/pipeline/mpi/dgl_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/pipeline/mpi/dgl_line.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr size_t kMaxListBytes = size_t{64} << 20;
constexpr int64_t kMaxWeights = 1000;

absl::Status ReadStats(DglFiles& files) {
  const std::string path = files.prefix + "_stats.txt";
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, 4096));
  absl::string_view line = absl::StripAsciiWhitespace(text);
  const auto nodes = NextNumber(line, 0, INT64_MAX);
  const auto edges = NextNumber(line, 0, INT64_MAX);
  const auto weights = NextNumber(line, 0, kMaxWeights);
  if (!nodes || !edges || !weights || !NextWord(line).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is not \"NODES EDGES WEIGHTS\", three whole numbers"));
  }
  files.num_nodes = *nodes;
  files.num_edges = *edges;
  files.num_weights = static_cast<int>(*weights);
  return absl::OkStatus();
}

// Reads the list of files `path`; of the words of a line the first is a file.
// With `ranges` the others are where its nodes begin and end.
absl::StatusOr<std::vector<std::string>> ReadList(const std::string& path,
                                                  bool ranges,
                                                  int64_t num_nodes) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxListBytes));
  std::vector<std::pair<int64_t, std::string>> found;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    const std::string file(NextWord(line));
    if (file.empty()) continue;
    std::optional<int64_t> first = 0;
    if (ranges) {
      first = NextNumber(line, 0, num_nodes);
      if (!first || !NextNumber(line, *first, num_nodes)) {
        return absl::InvalidArgumentError(absl::StrCat(
            path, ", line ", number, ": allowed: FILE FIRST END, with nodes 0 ",
            "to ", num_nodes));
      }
    }
    found.emplace_back(*first, file);
  }
  if (ranges) {
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, auto& b) { return a.first < b.first; });
  }
  std::vector<std::string> files;
  for (auto& [first, file] : found) files.push_back(std::move(file));
  return files;
}

// Returns the names of "nid" by where their ranges begin.
absl::StatusOr<std::vector<std::string>> ReadTypeNames(
    const std::string& prefix) {
  const std::string path = prefix + ".json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return std::vector<std::string>();
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxListBytes));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const absl::Status wrong = absl::InvalidArgumentError(
      absl::StrCat(path, ": no \"nid\" with [FIRST, END] for each node type"));
  if (!json.is_object() || !json.contains("nid") || !json["nid"].is_object()) {
    return wrong;
  }
  std::vector<std::pair<int64_t, std::string>> types;
  for (const auto& [name, range] : json["nid"].items()) {
    const auto& pair =
        range.is_array() && range.size() == 1 ? range.front() : range;
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer()) {
      return wrong;
    }
    const absl::Status allowed = CheckTypeName(name);
    if (!allowed.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", allowed.message()));
    }
    types.emplace_back(pair[0].get<int64_t>(), name);
  }
  std::sort(types.begin(), types.end());
  std::vector<std::string> names;
  for (auto& [first, name] : types) names.push_back(std::move(name));
  return names;
}

}  // namespace

absl::StatusOr<DglFiles> FindDglFiles(const std::string& prefix,
                                      const std::string& node_list,
                                      const std::string& edge_list) {
  DglFiles files;
  files.prefix = prefix;
  RETURN_IF_ERROR(ReadStats(files));
  files.nodes = {prefix + "_nodes.txt"};
  files.edges = {prefix + "_edges.txt"};
  if (!node_list.empty()) {
    ASSIGN_OR_RETURN(files.nodes,
                     ReadList(node_list, /*ranges=*/true, files.num_nodes));
  }
  if (!edge_list.empty()) {
    ASSIGN_OR_RETURN(files.edges,
                     ReadList(edge_list, /*ranges=*/false, files.num_nodes));
  }
  ASSIGN_OR_RETURN(files.type_names, ReadTypeNames(prefix));
  return files;
}

absl::StatusOr<DglEdgeReader> DglEdgeReader::Open(const DglFiles& files,
                                                  int rank, int ranks) {
  ASSIGN_OR_RETURN(LineShare lines, LineShare::Open(files.edges, rank, ranks));
  return DglEdgeReader(std::move(lines), files.num_nodes);
}

absl::StatusOr<size_t> DglEdgeReader::Read(absl::Span<HomogeneousEdge> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    ASSIGN_OR_RETURN(auto line, lines_.Next());
    if (!line.has_value()) return i;
    absl::string_view words = *line;
    const auto from = NextNumber(words, 0, num_nodes_ - 1);
    const auto to = NextNumber(words, 0, num_nodes_ - 1);
    if (!from || !to) {
      return absl::InvalidArgumentError(
          absl::StrCat(lines_.Where(), ": allowed: SOURCE DESTINATION, nodes ",
                       "0 to ", num_nodes_ - 1, ", and anything after them"));
    }
    out[i] = {*from, *to};
    ++num_edges_;
  }
  return out.size();
}

}  // namespace tributary
