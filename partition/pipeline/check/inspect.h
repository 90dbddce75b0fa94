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
  uint64_t cut_edges = 0;  // edges whose ends are in different partitions
  std::vector<uint64_t> partition_cut;  // of these, by the destination's
  double balance = 1;          // edges of the largest partition over the mean
  uint64_t massless_rows = 0;  // nodes with in-edges whose weights are all 0
  std::optional<TimeRange> time;  // of the edges; also absent without edges
  std::vector<uint64_t> masked;   // edges that each mask is true for
};

// The dictionary of a node type's ids in the user's data.
struct DictionaryFigures {
  bool texts = false;  // else numbers
  uint64_t bytes = 0;  // of its files
  friend bool operator==(const DictionaryFigures&,
                         const DictionaryFigures&) = default;
};

// Statistics of one node type.
struct NodeTypeFigures {
  double balance = 1;  // nodes of the largest partition over the mean
  std::optional<TimeRange> time;
  std::optional<DictionaryFigures> ids;  // none: numbers from 0
};

// Statistics of one split.
struct SplitFigures {
  // The nodes of each partition, or the edges that end there.
  std::vector<int64_t> partition_counts;
  double balance = 1;  // of the largest partition over the mean
};

// Statistics of one partition: totals of all node types and of the edge types
// that users see.
struct PartitionFigures {
  int64_t nodes = 0;
  int64_t edges = 0;
  uint64_t cut_edges = 0;
  uint64_t bytes = 0;  // of its files
};

// Statistics of a graph.
struct GraphFigures {
  std::vector<NodeTypeFigures> node_types;  // in the order of the schema
  std::vector<EdgeTypeFigures> edge_types;
  std::vector<SplitFigures> splits;
  std::vector<PartitionFigures> partitions;
  std::map<std::string, uint64_t> bytes;  // by kind: "x", "indices", "splits"
};

// Returns the largest of `counts` over their mean; 1 if all are zero.
double BalanceOf(const std::vector<int64_t>& counts);

// Totals of all partitions, and their largest over their mean.
struct PartitionTotals {
  int64_t edges = 0;
  uint64_t cut_edges = 0;
  double node_balance = 1, edge_balance = 1, byte_balance = 1;
};
PartitionTotals TotalsOf(const GraphFigures& figures);

// Computes the statistics of a graph that was opened with all partitions.
// DATA_LOSS if a neighbour, or an entry of a split, is out of range.
absl::StatusOr<GraphFigures> InspectGraph(const Graph& graph);

// Return schema and statistics as text for people, or as one JSON object.
std::string FiguresText(const GraphSchema& schema, const GraphFigures& figures);
std::string FiguresJson(const GraphSchema& schema, const GraphFigures& figures);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_INSPECT_H_
