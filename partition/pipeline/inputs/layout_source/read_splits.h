// Reads the splits of a layout.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_SPLITS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_SPLITS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout_source/layout_state.h"

namespace tributary {

// Returns the splits, in the order of GraphSchema. Those of masks and of a
// column that names them ascend by node or row; lists keep their order.
// Requires NumberNodes. INVALID_ARGUMENT, with file and row, for an id or a row
// that there is not, a mask of another length, and a type that is no list.
absl::StatusOr<std::vector<SplitSource>> ReadSplits(const LayoutState& state);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_SPLITS_H_
