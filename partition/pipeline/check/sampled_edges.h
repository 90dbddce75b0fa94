// Finds and compares single edges of an open graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_SAMPLED_EDGES_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_SAMPLED_EDGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "partition/source/graph_source.h"

namespace tributary {

// An edge of the graph by the user's ids, and where it is.
struct PlacedEdge {
  int64_t from = 0, to = 0;
  int64_t id = 0;
  uint32_t partition = 0;
  uint64_t row = 0;
  uint64_t position = 0;  // in the partition's arrays
};

// One edge type of a graph beside its source in the input. Passes what is in
// partitions that are not open; then it takes 8 bytes for each node of the
// edges' source type. Does not trust the graph's values. Refers to its
// arguments.
class SampledEdges {
 public:
  SampledEdges(const Graph& graph, int edge_type, const EdgeSource& input);

  // FAILED_PRECONDITION if the columns differ in type.
  absl::Status CompareColumnTypes() const;
  // Compares row `row` of the input with the edge, or the two edges, that it
  // made.
  absl::Status CompareInputRow(int64_t row) const;
  // Compares the graph's edge of number `n`, 0 <= n < num_edges, counted
  // through the partitions, with the row of the input that it is of.
  absl::Status CompareGraphEdge(int64_t n) const;

 private:
  struct Column {
    std::string name;
    const tributary::Column* input;
    const ColumnSchema* graph;                       // null: the graph lacks it
    absl::Span<const uint8_t> EdgePartition::*data;  // null: times, masks
    size_t mask = 0;
  };

  // Returns the original id of a source.
  int64_t SourceAt(int64_t internal) const;
  absl::StatusOr<PlacedEdge> EdgeAt(uint32_t partition, uint64_t row,
                                    uint64_t position) const;
  // Returns the first edge in canonical order that is not before (from, to,
  // id); none if it has other ends.
  absl::StatusOr<std::optional<PlacedEdge>> FindFrom(int64_t from, int64_t to,
                                                     int64_t id) const;
  absl::Status CompareOne(int64_t from, int64_t to, int64_t id,
                          int64_t row) const;
  absl::Status CompareColumns(const PlacedEdge& edge, int64_t row) const;
  absl::StatusOr<std::vector<uint8_t>> GraphValue(const Column& column,
                                                  const PlacedEdge& e) const;
  absl::StatusOr<int64_t> ReadEnd(const tributary::Column& ends,
                                  int64_t row) const;
  std::string Describe(int64_t from, int64_t to, int64_t id) const;

  const Graph& graph_;
  const int type_;
  const EdgeTypeSchema& schema_;
  const NodeTypeSchema& src_;
  const NodeTypeSchema& dst_;
  const EdgeSource& input_;
  const ColumnSchema weight_, time_, mask_;
  std::vector<Column> columns_;
  // Original ids by the source's internal id; empty if all partitions are open.
  std::vector<int64_t> original_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_SAMPLED_EDGES_H_
