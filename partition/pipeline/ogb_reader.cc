#include "partition/pipeline/ogb_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/buffer.h"
#include "common/status.h"
#include "partition/format/schema_check.h"
#include "partition/pipeline/csv_table.h"
#include "partition/pipeline/ogb_files.h"
#include "partition/pipeline/ogb_hetero_reader.h"

namespace tributary {
namespace {

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

absl::StatusOr<NodeContent> ReadNodes(const std::string& raw,
                                      const InputOptions& options) {
  NodeContent nodes;
  nodes.name = "node";
  ASSIGN_OR_RETURN(nodes.num_nodes, ReadNodeCount(raw + "num-node-list"));
  ASSIGN_OR_RETURN(nodes.x, ReadOptional(raw + "node-feat", nodes.num_nodes,
                                         ReadFloatTable));
  ASSIGN_OR_RETURN(nodes.y, ReadOptional(raw + "node-label", nodes.num_nodes,
                                         ReadLabelTable));
  ASSIGN_OR_RETURN(nodes.time,
                   ReadNamed(NodeTimeFile(options), raw, nodes.num_nodes));
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
  ASSIGN_OR_RETURN(edges.weight,
                   ReadNamed(EdgeWeightFile(options), raw, num_edges));
  ASSIGN_OR_RETURN(edges.time,
                   ReadNamed(EdgeTimeFile(options), raw, num_edges));
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

absl::Status ReadSplits(const InputOptions& options, const NodeContent& nodes,
                        Input& input) {
  const std::string folder = options.folder + "/split";
  ASSIGN_OR_RETURN(const auto schemes, ListSchemes(folder, options, input));
  for (const std::string& scheme : schemes) {
    RETURN_IF_ERROR(CheckTypeName(scheme));
    const std::string files = absl::StrCat(folder, "/", scheme);
    RETURN_IF_ERROR(ReadSplitFiles(files, scheme, nodes, input).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<Input> ReadHomogeneous(const InputOptions& options) {
  const std::string raw = options.folder + "/raw/";
  Input input;
  ASSIGN_OR_RETURN(NodeContent nodes, ReadNodes(raw, options));
  RETURN_IF_ERROR(ReadSplits(options, nodes, input));
  ASSIGN_OR_RETURN(EdgeContent edges, ReadEdges(raw, nodes.num_nodes, options));
  input.content.node_types.push_back(std::move(nodes));
  input.content.edge_types.push_back(std::move(edges));
  return input;
}

}  // namespace

absl::StatusOr<Input> ReadOgb(const InputOptions& options) {
  for (const NamedFile& file : {EdgeWeightFile(options), EdgeTimeFile(options),
                                NodeTimeFile(options)}) {
    RETURN_IF_ERROR(CheckNamedFile(file));
  }
  for (const char* name : {"triplet-type-list", "num-node-dict"}) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindCsv(absl::StrCat(options.folder, "/raw/", name)));
    if (!path.empty()) return ReadOgbHetero(options);
  }
  return ReadHomogeneous(options);
}

}  // namespace tributary
