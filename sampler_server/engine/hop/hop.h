// One hop within one partition: the innermost loop of neighbour sampling.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/random/philox.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/hop/edge_predicate.h"
#include "sampler_server/engine/hop/excluded_rows.h"

namespace tributary {

// What decides which neighbours a node emits: docs/sampling.md.
enum class Draw {
  kUniform,
  kWeighted,  // in proportion to the edges' weights
  kLabor,     // LABOR-0 (Balin and Catalyurek, NeurIPS 2023)
};

// Whose times count: none, the edges' own, or those of the nodes they come
// from.
enum class TimeColumn { kNone, kEdge, kNeighbor };

// How the nodes of one hop and edge type draw: what they all have in common.
struct DrawRule {
  PhiloxKey key{};
  int32_t fanout = 0;  // -1: all neighbours
  bool replace = false;
  Draw draw = Draw::kUniform;
  // With a column, nodes have the neighbours only that were there at their
  // bound; `strict`: before it. Without one, what follows it has no meaning.
  TimeColumn time = TimeColumn::kNone;
  bool strict = false;
  bool latest = false;          // no draw: the `fanout` latest, each once
  bool want_positions = false;  // rows of edge_attr
  // What edges must meet to be drawn; null: nothing.
  std::shared_ptr<const EdgePredicate> predicate;
};

// Draws for nodes of one partition. The spans are as long as each other, where
// they are not empty, and outlive the call.
struct HopQuery : DrawRule {
  HopQuery() = default;
  explicit HopQuery(const DrawRule& rule) : DrawRule(rule) {}

  absl::Span<const int64_t> time_bound;      // per node; with a time column
  absl::Span<const uint32_t> local_numbers;  // the nodes' numbers in the batch
  absl::Span<const uint64_t> rows;           // within the partition
  absl::Span<const uint32_t> trees;          // the nodes' trees; empty: 0
  uint64_t first_node = 0;  // internal id of row 0, for predicates
  // Not drawn, of the partition's rows. Outlives the call.
  ExcludedOfRows excluded;
  uint64_t skip_edges = 0;  // of the first node's emission: a continuation
  uint64_t max_edges = UINT64_MAX;  // stop after so many
  // Edges are counted before they are drawn, so that `out` takes no byte more
  // than they do. Else it may take what `fanout` edges of each node would.
  bool exact_memory = true;
};

// Edges by node, in the order of the query; each node's by ascending position.
struct HopEdges {
  std::vector<uint32_t> counts;  // per node answered; may be fewer than asked
  std::vector<uint64_t> neighbors;  // internal ids
  std::vector<int64_t> edge_ids;
  std::vector<uint64_t> positions;  // empty unless wanted
  bool last_is_partial = false;     // the last node has more edges

  void Clear();
  // Lets go of memory that holds nothing, one array after the other.
  void ShrinkToFit();
  // Memory held.
  size_t bytes() const {
    return counts.capacity() * sizeof(uint32_t) +
           (neighbors.capacity() + edge_ids.capacity() + positions.capacity()) *
               sizeof(uint64_t);
  }
};

// Appends nothing: overwrites `out`, keeping its capacity. OUT_OF_RANGE for a
// row beyond the partition; DATA_LOSS for stored values out of range;
// FAILED_PRECONDITION where the draw needs an array that the edge type does not
// have; INVALID_ARGUMENT for what is no query, a weighted or LABOR draw with
// times and LABOR with replacement among it.
// Rows of which some edges may not be drawn are looked at from end to end, and
// take a bit for each edge of the longest one, beside `out`.
// Pure: the same query gives the same edges on every machine. Thread-safe.
absl::Status SampleHop(const EdgePartition& edges, uint64_t num_src_nodes,
                       const HopQuery& query, HopEdges* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_H_
