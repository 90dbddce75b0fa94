// Figures about a graph folder.
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

// The first and the last of some times.
struct TimeRange {
  int64_t first = 0;
  int64_t last = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

struct EdgeTypeFigures {
  // [0]: nodes without in-edges; [k]: of degree 2^(k-1) to 2^k - 1.
  std::vector<uint64_t> degree_histogram;
  uint64_t max_degree = 0;
  uint64_t cut_edges = 0;      // whose ends are in different partitions
  double balance = 1;          // edges of the fullest partition over the mean
  uint64_t massless_rows = 0;  // nodes with in-edges whose weights are all 0
  std::optional<TimeRange> time;  // of the edges; none without edges too
  std::vector<uint64_t> masked;   // edges that each mask is true of
};

struct NodeTypeFigures {
  double balance = 1;  // as above, of nodes
  std::optional<TimeRange> time;
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

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_INSPECT_H_
