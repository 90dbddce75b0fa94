#include "partition/pipeline/partitioners/assignment_partitioner.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/text/line_reader.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/schema/type_path.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

constexpr int64_t kRowsAtOnce = int64_t{1} << 16;
constexpr absl::string_view kEndings[] = {".npy", ".txt", ".txt.gz"};

absl::Status NoPartition(const std::string& where, int64_t value,
                         uint32_t parts) {
  return absl::OutOfRangeError(absl::StrCat(where, ": partition ", value,
                                            "; allowed: 0 to ", parts - 1,
                                            " (--num-parts ", parts, ")"));
}

absl::Status WrongCount(const std::string& path, int64_t rows,
                        const NodeSource& type) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " has ", rows, " rows; allowed: one for each of the ",
                   type.num_nodes, " nodes of the type ", type.name));
}

absl::StatusOr<std::vector<uint16_t>> ReadNpy(const std::string& path,
                                              const NodeSource& type,
                                              uint32_t parts) {
  ASSIGN_OR_RETURN(ColumnPtr column, OpenNpyColumn({path}));
  ASSIGN_OR_RETURN(column, AsInt64(std::move(column), path));
  if (column->num_rows() != type.num_nodes) {
    return WrongCount(path, column->num_rows(), type);
  }
  std::vector<uint16_t> result;
  result.reserve(static_cast<size_t>(type.num_nodes));
  std::vector<int64_t> rows;
  for (int64_t begin = 0; begin < type.num_nodes; begin += kRowsAtOnce) {
    const int64_t count = std::min(kRowsAtOnce, type.num_nodes - begin);
    rows.resize(static_cast<size_t>(count));
    RETURN_IF_ERROR(
        column->Read(begin, count, reinterpret_cast<uint8_t*>(rows.data())));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0 || rows[i] >= int64_t{parts}) {
        return NoPartition(column->Where(begin + static_cast<int64_t>(i)),
                           rows[i], parts);
      }
      result.push_back(static_cast<uint16_t>(rows[i]));
    }
  }
  return result;
}

absl::StatusOr<std::vector<uint16_t>> ReadText(const std::string& path,
                                               const NodeSource& type,
                                               uint32_t parts) {
  ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(path));
  std::vector<uint16_t> result;
  result.reserve(static_cast<size_t>(type.num_nodes));
  absl::string_view line;
  while (reader.Next(&line)) {
    const std::optional<int64_t> value = ParseWholeNumber(line);
    if (!value.has_value()) {
      return reader.ErrorHere("no whole number; allowed: one partition a line");
    }
    if (*value < 0 || *value >= int64_t{parts}) {
      return NoPartition(absl::StrCat(path, " line ", reader.line_number()),
                         *value, parts);
    }
    if (static_cast<int64_t>(result.size()) == type.num_nodes) {
      return reader.ErrorHere(absl::StrCat("there are only ", type.num_nodes,
                                           " nodes of the type ", type.name));
    }
    result.push_back(static_cast<uint16_t>(*value));
  }
  RETURN_IF_ERROR(reader.status());
  const auto rows = static_cast<int64_t>(result.size());
  if (rows != type.num_nodes) return WrongCount(path, rows, type);
  return result;
}

absl::StatusOr<std::vector<uint16_t>> ReadFileOf(const std::string& path,
                                                 const NodeSource& type,
                                                 uint32_t parts) {
  return absl::EndsWith(path, ".npy") ? ReadNpy(path, type, parts)
                                      : ReadText(path, type, parts);
}

std::string TypeNames(const GraphSource& graph) {
  return absl::StrJoin(graph.node_types, ", ",
                       [](std::string* out, const NodeSource& type) {
                         absl::StrAppend(out, type.name);
                       });
}

bool IsType(const GraphSource& graph, absl::string_view name) {
  return std::any_of(graph.node_types.begin(), graph.node_types.end(),
                     [&](const NodeSource& type) { return type.name == name; });
}

// Returns the type whose files TypePath() puts at `path`; empty if it is none
// of the graph's.
std::string TypeAt(const GraphSource& graph, const std::string& path) {
  const absl::StatusOr<std::string> type = TypeOfPath(path);
  return type.ok() && IsType(graph, *type) ? *type : "";
}

// TYPE.ranks.npy lies beside TYPE.npy in the node_map of a graph's folder.
bool IsRanksOfType(const GraphSource& graph, absl::string_view path) {
  return absl::ConsumeSuffix(&path, ".ranks") &&
         !TypeAt(graph, std::string(path)).empty();
}

// Returns the files of a folder that may be assignments, by their path in it
// without the ending.
absl::StatusOr<std::multimap<std::string, std::string>> FilesIn(
    const std::string& folder) {
  std::multimap<std::string, std::string> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().lexically_relative(folder);
    // Others than TypePath() makes are left alone.
    if (!absl::EndsWith(name, kTypePathGoesOn)) it.disable_recursion_pending();
    for (const absl::string_view ending : kEndings) {
      if (!absl::EndsWith(name, ending)) continue;
      files.emplace(absl::StripSuffix(name, ending), it->path());
    }
  }
  if (!error) return files;
  errno = error.value();
  return PathError(folder, "list");
}

// Returns the files of a folder by node type. They have the paths of
// TypePath(), or the types' names as they are. Other files than assignments are
// left alone.
absl::StatusOr<std::map<std::string, std::string>> FilesByType(
    const std::string& folder, const GraphSource& graph) {
  ASSIGN_OR_RETURN(const auto all, FilesIn(folder));
  std::map<std::string, std::string> files;
  const auto add = [&](const std::string& type, const std::string& file) {
    if (files.emplace(type, file).second) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "--assignment ", folder, " has two files of the type ", type));
  };
  for (const auto& [path, file] : all) {
    const std::string type = TypeAt(graph, path);
    if (!type.empty()) RETURN_IF_ERROR(add(type, file));
  }
  for (const auto& [path, file] : all) {
    if (!TypeAt(graph, path).empty()) continue;
    // "paper.ranks" may be a type as well.
    if (IsRanksOfType(graph, path) &&
        (!IsType(graph, path) || files.contains(path))) {
      continue;
    }
    if (!IsType(graph, path)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--assignment ", file, ": the graph has no node type ",
                       path, "\nallowed: ", TypeNames(graph)));
    }
    RETURN_IF_ERROR(add(path, file));
  }
  return files;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<uint16_t>>>
AssignmentPartitioner::Partition(const GraphSource& graph,
                                 const PartitionOptions& options,
                                 const PartitionContext&) const {
  const std::string& path = options.assignment;
  const uint32_t parts = options.num_partitions;
  std::vector<std::vector<uint16_t>> result;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (graph.node_types.size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--assignment ", path, " is one file; the graph has ",
                       graph.node_types.size(),
                       " node types\nallowed: a folder with TYPE.npy for ",
                       TypeNames(graph)));
    }
    ASSIGN_OR_RETURN(auto placed, ReadFileOf(path, graph.node_types[0], parts));
    result.push_back(std::move(placed));
    return result;
  }
  ASSIGN_OR_RETURN(const auto files, FilesByType(path, graph));
  for (const NodeSource& type : graph.node_types) {
    const auto found = files.find(type.name);
    if (found == files.end()) {
      return absl::NotFoundError(absl::StrCat("--assignment ", path, " has no ",
                                              TypePath(type.name),
                                              ".npy, .txt or .txt.gz"));
    }
    ASSIGN_OR_RETURN(auto placed, ReadFileOf(found->second, type, parts));
    result.push_back(std::move(placed));
  }
  return result;
}

}  // namespace tributary
