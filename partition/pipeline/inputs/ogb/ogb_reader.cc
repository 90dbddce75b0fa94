#include "partition/pipeline/inputs/ogb/ogb_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv/csv_column.h"
#include "partition/pipeline/inputs/ogb/expected_tables.h"
#include "partition/pipeline/inputs/ogb/ogb_binary_reader.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/pipeline/inputs/ogb/ogb_hetero_binary_reader.h"
#include "partition/pipeline/inputs/ogb/ogb_hetero_reader.h"
#include "partition/pipeline/inputs/ogb/triples_reader.h"

namespace tributary {
namespace {

// Checks the number of nodes, which the other files cannot confirm, since all
// may be isolated, against the machine's memory.
absl::StatusOr<int64_t> ReadNodeCount(const std::string& stem) {
  constexpr uint64_t kBytesPerNode = sizeof(uint16_t);  // a partition
  ASSIGN_OR_RETURN(const int64_t count, ReadCount(stem));
  const uint64_t most = PhysicalMemoryBytes() / kBytesPerNode;
  if (static_cast<uint64_t>(count) <= most) return count;
  return absl::InvalidArgumentError(
      absl::StrCat(stem, " says ", count, " nodes, which take ", kBytesPerNode,
                   " bytes each; this machine's memory holds ", most));
}

absl::StatusOr<NodeSource> ReadNodes(const std::string& raw,
                                     const InputOptions& options,
                                     const Spool& spool) {
  NodeSource nodes;
  nodes.name = "node";
  ASSIGN_OR_RETURN(nodes.num_nodes, ReadNodeCount(raw + "num-node-list"));
  const RowCount rows(nodes.num_nodes, "num-node-list");
  ASSIGN_OR_RETURN(
      nodes.x, ReadOptional(raw + "node-feat", rows, ReadFloatTable, spool));
  ASSIGN_OR_RETURN(
      nodes.y, ReadOptional(raw + "node-label", rows, ReadLabelTable, spool));
  ASSIGN_OR_RETURN(nodes.time,
                   ReadNamed(NodeTimeFile(options), raw, rows, spool));
  return nodes;
}

absl::StatusOr<EdgeSource> ReadEdges(const std::string& raw, int64_t num_nodes,
                                     int64_t num_edges,
                                     const InputOptions& options,
                                     const Spool& spool) {
  EdgeSource edges{.src = "node",
                   .rel = "to",
                   .dst = "node",
                   .add_reverse = options.add_reverse,
                   .dedupe = options.dedupe};
  const RowCount rows(num_edges, "num-edge-list");
  ASSIGN_OR_RETURN(edges.edge_attr, ReadOptional(raw + "edge-feat", rows,
                                                 ReadFloatTable, spool));
  ASSIGN_OR_RETURN(edges.weight,
                   ReadNamed(EdgeWeightFile(options), raw, rows, spool));
  ASSIGN_OR_RETURN(edges.time,
                   ReadNamed(EdgeTimeFile(options), raw, rows, spool));
  for (const NamedFile& file : EdgeMaskFiles(options)) {
    ASSIGN_OR_RETURN(edges.masks[*file.name],
                     ReadNamed(file, raw, rows, spool));
  }
  ASSIGN_OR_RETURN(const std::string path, RequireCsv(raw + "edge"));
  ASSIGN_OR_RETURN(EndColumns ends,
                   ReadEdgeTable(path, rows, num_nodes, num_nodes, spool));
  edges.from = std::move(ends.from);
  edges.to = std::move(ends.to);
  return edges;
}

// Announces all tables before the first is parsed. What is wrong with a count
// is said where it is needed.
absl::Status ExpectTables(const std::string& raw, const InputOptions& options,
                          const Spool& spool) {
  const int64_t nodes = ReadCount(raw + "num-node-list").value_or(0);
  const int64_t edges = ReadCount(raw + "num-edge-list").value_or(0);
  ExpectedTables tables;
  tables.Add(raw + "node-feat", nodes, ReadFloatTable);
  tables.Add(raw + "node-label", nodes, ReadLabelTable);
  tables.AddNamed(NodeTimeFile(options), raw, nodes);
  tables.AddEdges(raw, edges, options);
  return spool.Expect(tables.parts());
}

absl::StatusOr<GraphSource> ReadHomogeneous(const InputOptions& options,
                                            const Spool& spool) {
  const std::string raw = options.folder + "/raw/";
  RETURN_IF_ERROR(ExpectTables(raw, options, spool));
  GraphSource graph;
  ASSIGN_OR_RETURN(NodeSource nodes, ReadNodes(raw, options, spool));
  ASSIGN_OR_RETURN(const int64_t num_edges, ReadCount(raw + "num-edge-list"));
  ASSIGN_OR_RETURN(graph.splits, ReadSplits(options, nodes, num_edges));
  ASSIGN_OR_RETURN(EdgeSource edges,
                   ReadEdges(raw, nodes.num_nodes, num_edges, options, spool));
  graph.node_types.push_back(std::move(nodes));
  graph.edge_types.push_back(std::move(edges));
  return graph;
}

}  // namespace

absl::StatusOr<GraphSource> ReadOgb(const InputOptions& options,
                                    const Spool& spool) {
  RETURN_IF_ERROR(CheckNamedFiles(options));
  ASSIGN_OR_RETURN(const bool binary,
                   IsThere(options.folder + "/raw/data.npz"));
  if (binary) return ReadOgbBinary(options, spool);
  ASSIGN_OR_RETURN(const bool typed_binary,
                   IsThere(options.folder + "/raw/edge_index_dict.npz"));
  if (typed_binary) return ReadOgbHeteroBinary(options, spool);
  for (const char* name : {"triplet-type-list", "num-node-dict"}) {
    ASSIGN_OR_RETURN(const std::string path,
                     FindCsv(absl::StrCat(options.folder, "/raw/", name)));
    if (!path.empty()) return ReadOgbHetero(options, spool);
  }
  ASSIGN_OR_RETURN(const std::string relations,
                   FindCsv(options.folder + "/raw/num-relation-list"));
  return relations.empty() ? ReadHomogeneous(options, spool)
                           : ReadTriples(options, spool);
}

}  // namespace tributary
