// Edges in compressed rows (CSC, CSR) as columns of edges.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_COMPRESSED_ROWS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_COMPRESSED_ROWS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Returns the node of each edge: int64 [num_edges], v for the positions
// [indptr[v], indptr[v + 1]). The column is computed as it is read and holds no
// memory. INVALID_ARGUMENT, with file and row, unless indptr, int64 of one
// column, begins with 0, never descends and ends with `num_edges`; errors of
// reading.
absl::StatusOr<ColumnPtr> ExpandRows(ColumnPtr indptr, int64_t num_edges);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_COMPRESSED_ROWS_H_
