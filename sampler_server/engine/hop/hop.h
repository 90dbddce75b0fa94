// Samples one hop within one partition: the innermost loop of neighbour
// sampling.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/random/philox.h"
#include "common/runtime/stop_check.h"
#include "common/session/draw_options.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/hop/edge_predicate.h"
#include "sampler_server/engine/hop/excluded_rows.h"
#include "sampler_server/engine/hop/other_types.h"

namespace tributary {

// The part of a query that all nodes of a hop and edge type have in common.
struct DrawRule {
  PhiloxKey key{};
  int32_t fanout = 0;  // -1: all neighbours
  bool replace = false;
  DrawMode draw = DrawMode::kUniform;
  // With a column, a node draws only of the neighbours whose time is at most
  // its bound (`strict`: before it). Without one, `strict` and `latest` mean
  // nothing.
  TimeMode time = TimeMode::kNone;
  bool strict = false;
  bool latest = false;          // takes the `fanout` latest instead of drawing
  bool want_edge_ids = true;    // otherwise they are not even read
  bool want_positions = false;  // for rows of edge_attr
  // The condition for an edge to be drawn; null: every edge.
  std::shared_ptr<const EdgePredicate> predicate;
};

// The nodes of one partition that are drawn for. Spans that are not empty have
// the same length; they outlive the call.
struct HopQuery : DrawRule {
  HopQuery() = default;
  explicit HopQuery(const DrawRule& rule) : DrawRule(rule) {}

  absl::Span<const int64_t> time_bound;      // per node; with a time column
  absl::Span<const uint32_t> local_numbers;  // the nodes' numbers in the batch
  absl::Span<const uint64_t> rows;           // within the partition
  absl::Span<const uint32_t> trees;          // the nodes' trees; empty: 0
  uint64_t first_node = 0;  // internal id of row 0, for predicates
  // The partition's excluded edges, which outlive the call.
  ExcludedOfRows excluded;
  // With kAcrossTypes: the fanout is the total over these and the query's own
  // type; the call gives those of the drawn edges that are of its own.
  OtherTypes others;
  uint64_t skip_edges = 0;  // of the first node, to continue an earlier call
  uint64_t max_edges = UINT64_MAX;  // stops after so many
  // Stops before the next node once so many edges of rows, which are scanned
  // whole, or emitted edges have been looked at; so a request of any size ends
  // soon, and the rest is asked for again.
  uint64_t max_work = UINT64_MAX;
  StopCheck* stop = nullptr;  // null: runs to the end
  // Counts edges before it draws them, so that `out` takes not a byte more than
  // they need. Otherwise `out` may take the bytes of `fanout` edges per node.
  bool exact_memory = true;
};

// The drawn edges by node, in the order of the query, each node's by ascending
// position.
struct HopEdges {
  std::vector<uint32_t> counts;  // per node answered; may be fewer than asked
  std::vector<uint64_t> neighbors;  // internal ids
  std::vector<int64_t> edge_ids;    // empty unless wanted
  std::vector<uint64_t> positions;  // empty unless wanted
  bool last_is_partial = false;     // the last node has more edges

  void Clear();
  // Frees unused capacity, one array after the other.
  void ShrinkToFit();
  // Returns the memory held.
  size_t bytes() const {
    return counts.capacity() * sizeof(uint32_t) +
           (neighbors.capacity() + edge_ids.capacity() + positions.capacity()) *
               sizeof(uint64_t);
  }
};

// Returns the bytes of an edge in a HopEdges that holds what `rule` wants.
inline size_t BytesPerEdge(const DrawRule& rule) {
  return (1 + (rule.want_edge_ids ? 1 : 0) + (rule.want_positions ? 1 : 0)) *
         sizeof(uint64_t);
}

// Samples the in-edges that `query` asks for into `out`, which it overwrites,
// keeping its capacity. Rows with edges that may not be drawn are scanned whole
// and take one bit per edge of the longest one, beside `out`.
//
// Pure: the same query gives the same edges on every machine. Thread-safe.
//
// OUT_OF_RANGE for a row beyond the partition; DATA_LOSS for stored values out
// of range; FAILED_PRECONDITION if the draw needs an array that the edge type
// does not have; INVALID_ARGUMENT for an invalid query, such as a weighted or
// LABOR draw with times, LABOR with replacement, or a draw across types with
// edges that may not be drawn; CANCELLED and DEADLINE_EXCEEDED of query.stop.
absl::Status SampleHop(const EdgePartition& edges, uint64_t num_src_nodes,
                       const HopQuery& query, HopEdges* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_H_
