// The edges of one partition both of whose ends are in a batch.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCED_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCED_EDGES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/ids/node_set.h"

namespace tributary {

// Where edges are looked for. The references outlive it.
struct InducedSource {
  const EdgePartition& edges;
  uint64_t num_src_nodes;
  const NodeSet& nodes;  // of the source type; of disjoint batches TreeIds
};

// A node of the batch whose in-edges are looked at.
struct InducedRow {
  uint64_t row = 0;       // within the partition
  uint64_t first_id = 0;  // of its tree's nodes of the source type
  // TakeInduced: so many edges, to this place and those after it.
  uint32_t count = 0;
  uint64_t to = 0;
};

struct ScanLimits {
  uint64_t pause = 0;  // stop behind the row with which so many are looked at
  uint64_t most = 0;   // stop before the row with which more would be
};

struct Scanned {
  size_t rows = 0;     // from the first on
  uint64_t edges = 0;  // that these rows have; above limits.most: a row more
};

// counts[i] becomes how many in-edges of rows[i] come from nodes of the set, in
// its tree, for the first done->rows of them; one at least where limits.most
// allows it. OUT_OF_RANGE for a row beyond the partition; DATA_LOSS for stored
// values out of range. Pure. Thread-safe.
absl::Status CountInduced(const InducedSource& source,
                          absl::Span<const InducedRow> rows,
                          const ScanLimits& limits, uint32_t* counts,
                          Scanned* done);

// By edge: number in the set, edge id, place in the partition.
struct InducedEdges {
  uint32_t* numbers = nullptr;
  int64_t* edge_ids = nullptr;
  uint64_t* positions = nullptr;  // null: not wanted
};

// Writes those edges, each row's by ascending position, without the first
// `skip` of rows[0]. Errors as above, and INVALID_ARGUMENT where a row has not
// as many.
absl::Status TakeInduced(const InducedSource& source,
                         absl::Span<const InducedRow> rows, uint64_t skip,
                         const InducedEdges& out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCED_EDGES_H_
