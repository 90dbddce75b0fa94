// Reads the tables of a layout.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_TABLES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_TABLES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "partition/pipeline/inputs/layout_source/layout_state.h"

namespace tributary {

// Opens the tables, decides what kind of ids each node type has, and parses the
// columns that the layout names into the spool. Adds to `notes` which columns
// are left out. Errors as OpenTable and Table.
absl::Status ReadTables(LayoutState& state, std::vector<std::string>& notes);

// Opens a list of a layout, such as a split: a table without a header, unless
// its first line says otherwise.
absl::StatusOr<std::shared_ptr<Table>> OpenList(
    const GraphLayout& layout, const std::vector<std::string>& files);

// Returns how ids of this kind are read from a table.
CellKind CellKindOf(IdKind ids);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_READ_TABLES_H_
