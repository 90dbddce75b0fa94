// Finds columns of a table by the words that users call them by.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_FIND_ENDS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_FIND_ENDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "partition/pipeline/inputs/layout/graph_layout.h"
#include "partition/pipeline/inputs/tables/table.h"

namespace tributary {

// Returns the names of the columns in lower case and without blanks around
// them.
std::vector<std::string> PlainNames(const Table& table);

// Decides on ends for which the layout has no columns: those that the header
// calls so by a pair of the words that docs/data.md lists, with a note if they
// are not the first two columns; without such a pair the first two.
// INVALID_ARGUMENT, naming what decides, for a header that can be read in
// several ways.
absl::Status FindEnds(EdgeLayout& edges, const Table& table,
                      std::vector<std::string>& notes);

// Refuses one column as both ends, such as --src b where b is the column 1 that
// --dst is by default.
absl::Status CheckTwoEnds(const EdgeLayout& edges, const Table& table);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_FIND_ENDS_H_
