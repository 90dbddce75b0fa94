// Finds the edges of one partition that are induced by a batch: both of their
// ends are among the batch's nodes.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCED_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCED_EDGES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/ids/node_set.h"

namespace tributary {

// The partition and the nodes that edges may come from. A view.
struct InducedSource {
  const EdgePartition& edges;
  uint64_t num_src_nodes;
  const NodeSet& nodes;  // internal ids; in disjoint batches TreeIds
  StopCheck* stop = nullptr;
};

// A node of the batch whose in-edges are looked at.
struct InducedRow {
  uint64_t row = 0;       // within the partition
  uint64_t first_id = 0;  // id of node 0 of the source type in the row's tree
  // For TakeInduced: how many edges to take, and the place of the first.
  uint32_t count = 0;
  uint64_t to = 0;
};

struct ScanLimits {
  // In-edges looked at. Stops behind the row that reaches `pause`, and before
  // the row that would exceed `most`.
  uint64_t pause = 0;
  uint64_t most = 0;
};

struct Scanned {
  size_t rows = 0;     // counted, from the first on
  uint64_t edges = 0;  // in-edges of these rows; above limits.most: of one more
};

// Sets counts[i] to the number of in-edges of rows[i] that come from nodes of
// the set, in the row's tree, for the first done->rows rows; at least one row
// unless limits.most forbids it. Errors: OUT_OF_RANGE (a row beyond the
// partition), DATA_LOSS (stored values out of range), CANCELLED and
// DEADLINE_EXCEEDED of source.stop. Thread-safe.
absl::Status CountInduced(const InducedSource& source,
                          absl::Span<const InducedRow> rows,
                          const ScanLimits& limits, uint32_t* counts,
                          Scanned* done);

// Arrays to write edges to: the source's number in the set, the edge id, and
// the position in the partition.
struct InducedEdges {
  uint32_t* numbers = nullptr;
  int64_t* edge_ids = nullptr;    // null: not wanted
  uint64_t* positions = nullptr;  // null: not wanted
};

// Writes the edges that CountInduced counts, each row's by ascending position,
// without the first `skip` of rows[0]. Errors as CountInduced, and
// INVALID_ARGUMENT if a row has fewer than row.count. Thread-safe.
absl::Status TakeInduced(const InducedSource& source,
                         absl::Span<const InducedRow> rows, uint64_t skip,
                         const InducedEdges& out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCED_EDGES_H_
