// Statistics of a graph folder.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_INSPECT_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_INSPECT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/format/graph.h"

namespace tributary {

// The smallest and the largest of a set of times.
struct TimeRange {
  int64_t first = 0;
  int64_t last = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Statistics of one edge type.
struct EdgeTypeFigures {
  // [0]: nodes without in-edges; [k]: nodes of in-degree 2^(k-1) to 2^k - 1.
  std::vector<uint64_t> degree_histogram;
  uint64_t max_degree = 0;
  uint64_t cut_edges = 0;      // edges whose ends are in different partitions
  double balance = 1;          // edges of the largest partition over the mean
  uint64_t massless_rows = 0;  // nodes with in-edges whose weights are all 0
  std::optional<TimeRange> time;  // of the edges; also absent without edges
  std::vector<uint64_t> masked;   // edges that each mask is true for
};

// Statistics of one node type.
struct NodeTypeFigures {
  double balance = 1;  // nodes of the largest partition over the mean
  std::optional<TimeRange> time;
};

// Statistics of a graph.
struct GraphFigures {
  std::vector<NodeTypeFigures> node_types;  // in the order of the schema
  std::vector<EdgeTypeFigures> edge_types;
  std::map<std::string, uint64_t> bytes;  // by kind: "x", "indices", "splits"
};

// Computes the statistics of a graph that was opened with all partitions.
// DATA_LOSS if a neighbour is out of range.
absl::StatusOr<GraphFigures> InspectGraph(const Graph& graph);

// Return schema and statistics as text for people, or as one JSON object.
std::string FiguresText(const GraphSchema& schema, const GraphFigures& figures);
std::string FiguresJson(const GraphSchema& schema, const GraphFigures& figures);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_INSPECT_H_
