// Opens the arrays of a layout, and orders the columns of nodes by their
// numbers.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_ARRAYS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_ARRAYS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout_source/layout_state.h"

namespace tributary {

// Returns the paths of a place's arrays.
std::vector<std::string> ArrayPaths(const GraphLayout& layout,
                                    const ColumnPlace& place);
// Opens arrays of ids: int64, one a row. INVALID_ARGUMENT for other types.
absl::StatusOr<ColumnPtr> OpenIds(const GraphLayout& layout,
                                  const ColumnPlace& place);

// Sets x, y and time of the nodes by rows of their table, or if it has no ids
// by their numbers. INVALID_ARGUMENT for types that a graph does not store.
absl::Status OpenNodeColumns(const LayoutState& state, NodeState& nodes);
// Orders x, y and time by the nodes' numbers. Requires that their numbers of
// rows are right. INVALID_ARGUMENT for arrays without a table that tells the
// ids of their rows, where ids are not the rows.
absl::Status OrderNodeColumns(const LayoutState& state, size_t type,
                              NodeState& nodes);

// Sets the columns of edges. INVALID_ARGUMENT, with the file, for another
// number of rows than edges.
absl::Status OpenEdgeColumns(const LayoutState& state, EdgeState& edges);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_ARRAYS_H_
