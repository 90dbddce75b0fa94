// Orders the rows of a column by their numbers, in bounded memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_SCATTER_ROWS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_SCATTER_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Returns the column `name` of the spool in which row positions[i] is row i of
// `values`. `positions`, int64 of one column, must hold each of 0 to num_rows -
// 1 once. Reads `positions` once for each `memory` bytes of the result, and of
// `values` then only the blocks that are needed; takes `memory` and 2 MiB more.
// Returns what an earlier run has finished. INVALID_ARGUMENT names the row of
// `positions` with a number that is out of range or there already; `what`,
// "node" or "edge", is for messages.
absl::StatusOr<ColumnPtr> ScatterRows(const Column& values,
                                      const Column& positions,
                                      const std::string& what, size_t memory,
                                      const Spool& spool,
                                      const std::string& name);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_SCATTER_ROWS_H_
