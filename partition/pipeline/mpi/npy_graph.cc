#include "partition/pipeline/mpi/npy_graph.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "partition/schema/schema_check.h"
#include "partition/source/file_column.h"
#include "partition/source/npy_file.h"

namespace tributary {
namespace {

constexpr char kOnlyType[] = "node";
// Training nodes of all types: 8 GiB of ids at each rank is no split any more.
constexpr int64_t kMaxTrain = int64_t{1} << 30;

// "a=b" as {"a", "b"}; {"", text} without an '='.
std::pair<std::string, std::string> SplitName(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos) return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

absl::StatusOr<std::vector<NodeSource>> ReadNodeTypes(const std::string& text) {
  std::vector<NodeSource> types;
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(text, ','))) {
    auto [name, count] = SplitName(part);
    const auto number = ParseNumber<int64_t>(count);
    if (!number.has_value() || *number < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--num-nodes ", text,
                       "; allowed: a number, or TYPE=NUMBER,TYPE=NUMBER"));
    }
    if (name.empty()) name = kOnlyType;
    RETURN_IF_ERROR(CheckTypeName(name));
    types.push_back({.name = std::move(name), .num_nodes = *number});
  }
  std::sort(types.begin(), types.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (size_t i = 1; i < types.size(); ++i) {
    if (types[i - 1].name != types[i].name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--num-nodes names ", types[i].name, " twice"));
  }
  return types;
}

absl::StatusOr<int> FindType(const GraphSource& graph, const std::string& name,
                             const std::string& flag) {
  for (size_t i = 0; i < graph.node_types.size(); ++i) {
    if (graph.node_types[i].name == name) return static_cast<int>(i);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": --num-nodes has no type \"", name, "\""));
}

absl::Status OpenEnds(const std::string& path, EdgeSource& edges) {
  ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyFileHeader(path));
  const std::vector<int64_t>& shape = header.shape;
  const bool by_row = shape.size() == 2 && shape[1] == 2 && shape[0] != 2;
  if (!by_row && (shape.size() != 2 || shape[0] != 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": allowed: an array of [2, edges] or [edges, 2]"));
  }
  const int64_t rows = by_row ? shape[0] : shape[1];
  const uint64_t size = header.type.size;
  const uint64_t second = by_row ? size : size * static_cast<uint64_t>(rows);
  const auto open = [&](uint64_t offset) {
    return OpenFileColumn({{.path = path,
                            .offset = header.data_offset + offset,
                            .stride = by_row ? 2 * size : 0,
                            .num_rows = rows}},
                          header.type, {.dtype = DType::kInt64});
  };
  ASSIGN_OR_RETURN(edges.from, open(0));
  ASSIGN_OR_RETURN(edges.to, open(second));
  return absl::OkStatus();
}

absl::Status AddEdges(const std::string& text, GraphSource& graph) {
  const auto [name, path] = SplitName(text);
  const std::vector<std::string> ends =
      name.empty() ? std::vector<std::string>{kOnlyType, "to", kOnlyType}
                   : std::vector<std::string>(absl::StrSplit(name, ','));
  const std::string flag = absl::StrCat("--edges ", text);
  if (ends.size() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, "; allowed: FILE, or SRC,REL,DST=FILE"));
  }
  EdgeSource edges;
  edges.src = ends[0];
  edges.rel = ends[1];
  edges.dst = ends[2];
  ASSIGN_OR_RETURN(edges.src_type, FindType(graph, edges.src, flag));
  ASSIGN_OR_RETURN(edges.dst_type, FindType(graph, edges.dst, flag));
  RETURN_IF_ERROR(OpenEnds(path, edges));
  graph.edge_types.push_back(std::move(edges));
  return absl::OkStatus();
}

absl::Status AddTrain(const std::string& text, GraphSource& graph) {
  auto [type, path] = SplitName(text);
  if (type.empty()) type = kOnlyType;
  const std::string flag = absl::StrCat("--train ", text);
  ASSIGN_OR_RETURN(const int index, FindType(graph, type, flag));
  ASSIGN_OR_RETURN(ColumnPtr ids, OpenNpyColumn({path}));
  ASSIGN_OR_RETURN(ids, AsInt64(std::move(ids), path));
  if (ids->num_rows() > kMaxTrain) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " has ", ids->num_rows(), " ids; allowed: ", kMaxTrain));
  }
  SplitSource split{.type = type, .name = "train"};
  split.nodes.resize(ids->num_rows());
  RETURN_IF_ERROR(ids->Read(0, ids->num_rows(),
                            reinterpret_cast<uint8_t*>(split.nodes.data())));
  const int64_t num_nodes = graph.node_types[index].num_nodes;
  for (size_t i = 0; i < split.nodes.size(); ++i) {
    if (split.nodes[i] >= 0 && split.nodes[i] < num_nodes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(ids->Where(static_cast<int64_t>(i)), ": node ",
                     split.nodes[i], "; allowed: 0 to ", num_nodes - 1));
  }
  graph.splits.push_back(std::move(split));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GraphSource> OpenNpyGraph(const NpyGraphOptions& options) {
  GraphSource graph;
  ASSIGN_OR_RETURN(graph.node_types, ReadNodeTypes(options.num_nodes));
  graph.heterogeneous =
      graph.node_types.size() > 1 || graph.node_types[0].name != kOnlyType;
  for (const std::string& edges : options.edges) {
    RETURN_IF_ERROR(AddEdges(edges, graph));
  }
  for (const std::string& train : options.train) {
    RETURN_IF_ERROR(AddTrain(train, graph));
  }
  return graph;
}

}  // namespace tributary
