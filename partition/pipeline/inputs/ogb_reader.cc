#include "partition/pipeline/inputs/ogb_reader.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv_table.h"
#include "partition/pipeline/inputs/edge_split_input.h"
#include "partition/pipeline/inputs/ogb_files.h"
#include "partition/pipeline/inputs/ogb_hetero_reader.h"
#include "partition/pipeline/inputs/triples_reader.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

// Checks that the nodes fit into memory. The other files cannot confirm the
// number of nodes, since all may be isolated, so the memory that they take at
// least is compared with the machine's.
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

// Reads the edges. Splits of edges get their ends from the rows, but no ids
// yet.
absl::StatusOr<EdgeContent> ReadEdges(const std::string& raw, int64_t num_nodes,
                                      int64_t num_edges,
                                      const InputOptions& options,
                                      absl::Span<EdgeSplitInput> edge_splits) {
  EdgeContent edges;
  edges.src = edges.dst = "node";
  edges.rel = "to";
  ASSIGN_OR_RETURN(edges.edge_attr,
                   ReadOptional(raw + "edge-feat", num_edges, ReadFloatTable));
  ASSIGN_OR_RETURN(edges.weight,
                   ReadNamed(EdgeWeightFile(options), raw, num_edges));
  ASSIGN_OR_RETURN(edges.time,
                   ReadNamed(EdgeTimeFile(options), raw, num_edges));
  for (const NamedFile& file : EdgeMaskFiles(options)) {
    ASSIGN_OR_RETURN(edges.masks[*file.name], ReadNamed(file, raw, num_edges));
  }
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(raw + "edge"));
  ASSIGN_OR_RETURN(EdgeRows rows,
                   ReadEdgeTable(path, num_edges, num_nodes, num_nodes));
  FillEndsFromRows(rows, edge_splits);
  const AdjacencyOptions adjacency{.add_reverse = options.add_reverse,
                                   .dedupe = options.dedupe};
  ASSIGN_OR_RETURN(
      edges.in_edges,
      Adjacency::FromRows(std::move(rows), num_nodes, num_nodes, adjacency));
  if (options.add_reverse) edges.attr_by = EdgeContent::AttrBy::kHalfEdgeId;
  return edges;
}

struct Splits {
  std::vector<SplitContent> nodes;
  std::vector<EdgeSplitInput> edges;
};

absl::StatusOr<Splits> ReadSplits(const InputOptions& options,
                                  const NodeContent& nodes, int64_t num_edges) {
  const std::string folder = options.folder + "/split";
  const EdgeSplitLimits limits{nodes.num_nodes, nodes.num_nodes, num_edges};
  Splits splits;
  ASSIGN_OR_RETURN(const auto schemes, ListSchemes(folder, options));
  for (const std::string& scheme : schemes) {
    RETURN_IF_ERROR(CheckTypeName(scheme));
    const std::string files = absl::StrCat(folder, "/", scheme);
    const bool rows = IsEdgeScheme(options, scheme);
    if (!rows) {
      std::vector<std::string> others;  // splits of edges
      ASSIGN_OR_RETURN(auto of_nodes,
                       ReadSplitFiles(files, scheme, nodes, others));
      absl::c_move(of_nodes, std::back_inserter(splits.nodes));
    }
    ASSIGN_OR_RETURN(auto of_edges,
                     ReadEdgeSplitFiles(files, scheme, limits, rows));
    absl::c_move(of_edges, std::back_inserter(splits.edges));
  }
  return splits;
}

absl::StatusOr<Input> ReadHomogeneous(const InputOptions& options) {
  const std::string raw = options.folder + "/raw/";
  Input input;
  ASSIGN_OR_RETURN(NodeContent nodes, ReadNodes(raw, options));
  ASSIGN_OR_RETURN(const int64_t num_edges, ReadCount(raw + "num-edge-list"));
  ASSIGN_OR_RETURN(Splits splits, ReadSplits(options, nodes, num_edges));
  ASSIGN_OR_RETURN(EdgeContent edges,
                   ReadEdges(raw, nodes.num_nodes, num_edges, options,
                             absl::MakeSpan(splits.edges)));
  input.content.splits = std::move(splits.nodes);
  AddEdgeSplits(splits.edges, edges, input.content);
  input.content.node_types.push_back(std::move(nodes));
  input.content.edge_types.push_back(std::move(edges));
  return input;
}

}  // namespace

absl::StatusOr<Input> ReadOgb(const InputOptions& options) {
  RETURN_IF_ERROR(CheckNamedFiles(options));
  for (const char* name : {"triplet-type-list", "num-node-dict"}) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindCsv(absl::StrCat(options.folder, "/raw/", name)));
    if (!path.empty()) return ReadOgbHetero(options);
  }
  ASSIGN_OR_RETURN(const std::string relations,
                   FindCsv(options.folder + "/raw/num-relation-list"));
  return relations.empty() ? ReadHomogeneous(options) : ReadTriples(options);
}

}  // namespace tributary
