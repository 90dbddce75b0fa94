// Figures about a graph folder.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INSPECT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INSPECT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "partition/format/graph.h"

namespace tributary {

struct EdgeTypeFigures {
  // [0]: nodes without in-edges; [k]: of degree 2^(k-1) to 2^k - 1.
  std::vector<uint64_t> degree_histogram;
  uint64_t max_degree = 0;
  uint64_t cut_edges = 0;  // whose ends are in different partitions
  double balance = 1;      // edges of the fullest partition over the mean
};

struct NodeTypeFigures {
  double balance = 1;  // as above, of nodes
};

struct GraphFigures {
  std::vector<NodeTypeFigures> node_types;  // as in the schema
  std::vector<EdgeTypeFigures> edge_types;
  std::map<std::string, uint64_t> bytes;  // by kind: "x", "indices", "splits"
};

// Needs all partitions open. DATA_LOSS when a neighbour is out of range.
absl::StatusOr<GraphFigures> InspectGraph(const Graph& graph);

// Schema and figures for a reader, or as one JSON object.
std::string FiguresText(const GraphSchema& schema, const GraphFigures& figures);
std::string FiguresJson(const GraphSchema& schema, const GraphFigures& figures);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INSPECT_H_
