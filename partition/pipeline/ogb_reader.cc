#include "partition/pipeline/ogb_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/buffer.h"
#include "common/status.h"
#include "partition/format/schema_check.h"
#include "partition/pipeline/csv_table.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Something of that name, be it a file or not: opening it tells.
absl::StatusOr<bool> IsThere(const std::string& path) {
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) return false;
  if (type != fs::file_type::none) return true;
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("cannot look at ", path));
}

// The path of `stem`.csv.gz or `stem`.csv; empty when there is neither.
absl::StatusOr<std::string> FindCsv(const std::string& stem) {
  ASSIGN_OR_RETURN(const bool gzip, IsThere(stem + ".csv.gz"));
  ASSIGN_OR_RETURN(const bool plain, IsThere(stem + ".csv"));
  if (gzip && plain) {
    return absl::InvalidArgumentError(absl::StrCat(
        stem, " exists as .csv and as .csv.gz; remove one of them"));
  }
  if (gzip) return stem + ".csv.gz";
  return plain ? stem + ".csv" : "";
}

absl::StatusOr<std::string> RequireCsv(const std::string& stem) {
  ASSIGN_OR_RETURN(std::string path, FindCsv(stem));
  if (!path.empty()) return path;
  return absl::NotFoundError(absl::StrCat(
      stem, ".csv.gz (or .csv) is not there; OGB's layout needs it"));
}

using Rows = std::shared_ptr<const RowSource>;

// Null when the file is not there.
absl::StatusOr<Rows> ReadOptional(
    const std::string& stem, int64_t num_rows,
    absl::StatusOr<Rows> (*read)(const std::string&, int64_t)) {
  ASSIGN_OR_RETURN(const std::string path, FindCsv(stem));
  if (path.empty()) return Rows();
  return read(path, num_rows);
}

absl::StatusOr<int64_t> ReadCount(const std::string& stem) {
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(stem));
  return ReadSingleCount(path);
}

// Nothing in the other files need speak for the number of nodes, which all may
// be isolated; so what they take at the least is held against the machine.
absl::StatusOr<int64_t> ReadNodeCount(const std::string& stem) {
  constexpr uint64_t kBytesPerNode = 3 * sizeof(int64_t);  // indptr, placement
  ASSIGN_OR_RETURN(const int64_t count, ReadCount(stem));
  const uint64_t most = PhysicalMemoryBytes() / kBytesPerNode;
  if (static_cast<uint64_t>(count) <= most) return count;
  return absl::InvalidArgumentError(
      absl::StrCat(stem, " says ", count, " nodes, which take ", kBytesPerNode,
                   " bytes each; this machine's memory holds ", most));
}

absl::StatusOr<NodeContent> ReadNodes(const std::string& raw) {
  NodeContent nodes;
  nodes.name = "node";
  ASSIGN_OR_RETURN(nodes.num_nodes, ReadNodeCount(raw + "num-node-list"));
  ASSIGN_OR_RETURN(nodes.x, ReadOptional(raw + "node-feat", nodes.num_nodes,
                                         ReadFloatTable));
  ASSIGN_OR_RETURN(nodes.y, ReadOptional(raw + "node-label", nodes.num_nodes,
                                         ReadLabelTable));
  return nodes;
}

absl::StatusOr<EdgeContent> ReadEdges(const std::string& raw, int64_t num_nodes,
                                      const InputOptions& options) {
  EdgeContent edges;
  edges.src = edges.dst = "node";
  edges.rel = "to";
  ASSIGN_OR_RETURN(const int64_t num_edges, ReadCount(raw + "num-edge-list"));
  ASSIGN_OR_RETURN(edges.edge_attr,
                   ReadOptional(raw + "edge-feat", num_edges, ReadFloatTable));
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(raw + "edge"));
  ASSIGN_OR_RETURN(EdgeRows rows,
                   ReadEdgeTable(path, num_edges, num_nodes, num_nodes));
  const AdjacencyOptions adjacency{.add_reverse = options.add_reverse,
                                   .dedupe = options.dedupe};
  ASSIGN_OR_RETURN(
      edges.in_edges,
      Adjacency::FromRows(std::move(rows), num_nodes, num_nodes, adjacency));
  if (options.add_reverse) edges.attr_by = EdgeContent::AttrBy::kHalfEdgeId;
  return edges;
}

// The folders below split/, names ascending bytewise.
absl::StatusOr<std::vector<std::string>> SplitSchemes(
    const std::string& folder) {
  std::vector<std::string> schemes;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return schemes;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_directory(error)) schemes.push_back(it->path().filename());
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot list ", folder, ": ", error.message()));
  }
  std::sort(schemes.begin(), schemes.end());
  return schemes;
}

absl::Status ReadSplits(const std::string& folder, int64_t num_nodes,
                        Input& input) {
  ASSIGN_OR_RETURN(const auto schemes, SplitSchemes(folder));
  for (const std::string& scheme : schemes) {
    RETURN_IF_ERROR(CheckTypeName(scheme));
    for (const char* name : {"test", "train", "valid"}) {
      ASSIGN_OR_RETURN(const std::string path,
                       FindCsv(absl::StrCat(folder, "/", scheme, "/", name)));
      if (path.empty()) continue;
      ASSIGN_OR_RETURN(auto ids, ReadIdList(path, num_nodes));
      if (ids.has_value()) {
        input.content.splits.push_back({scheme, "node", name, *std::move(ids)});
      } else {
        input.notes.push_back(absl::StrCat(
            path, " has more than one column: a split of edges is left out"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status RefuseHeterogeneous(const std::string& raw) {
  ASSIGN_OR_RETURN(const std::string path, FindCsv(raw + "triplet-type-list"));
  if (path.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      path,
      " makes this OGB's heterogeneous layout, which is not built; "
      "allowed: the homogeneous one"));
}

}  // namespace

absl::StatusOr<Input> ReadOgb(const InputOptions& options) {
  const std::string raw = options.folder + "/raw/";
  RETURN_IF_ERROR(RefuseHeterogeneous(raw));
  Input input;
  ASSIGN_OR_RETURN(NodeContent nodes, ReadNodes(raw));
  const int64_t num_nodes = nodes.num_nodes;
  input.content.node_types.push_back(std::move(nodes));
  RETURN_IF_ERROR(ReadSplits(options.folder + "/split", num_nodes, input));
  ASSIGN_OR_RETURN(EdgeContent edges, ReadEdges(raw, num_nodes, options));
  input.content.edge_types.push_back(std::move(edges));
  return input;
}

}  // namespace tributary
