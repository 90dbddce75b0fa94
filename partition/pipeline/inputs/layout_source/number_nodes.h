// Numbers the nodes of a layout, and opens the ends of its edges.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_NUMBER_NODES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_NUMBER_NODES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "partition/pipeline/inputs/layout_source/layout_state.h"

namespace tributary {

// Sets the ends of edges, the dictionaries, node_of_row and the numbers of
// nodes. Requires ReadTables. The number of nodes is that of the dictionary;
// without one the layout's count, the rows of its table or arrays, or one more
// than the largest end, which `notes` says then. INVALID_ARGUMENT, with file
// and row, for an id that the table of nodes lacks or has twice, and for
// numbers that contradict one another.
absl::Status NumberNodes(LayoutState& state, std::vector<std::string>& notes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_NUMBER_NODES_H_
