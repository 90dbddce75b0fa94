// Reads the splits of a layout.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_SPLITS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_SPLITS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout_source/layout_state.h"

namespace tributary {

// Returns the splits, in the order of GraphSchema. Those of masks and of a
// column that names them ascend by node or row; lists keep their order.
// Requires NumberNodes. INVALID_ARGUMENT, with file and row, for an id or a row
// that there is not, a mask of another length, numbers that may be a mask or a
// list, and a type that is no list. Appends notes on words in a column of
// splits that docs/data.md does not list.
absl::StatusOr<std::vector<SplitSource>> ReadSplits(
    const LayoutState& state, std::vector<std::string>& notes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_SPLITS_H_
