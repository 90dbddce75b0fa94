// Reads tables with a header of node types and one row.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_NODE_TYPE_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_NODE_TYPE_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Both functions take a path without ".csv.gz" or ".csv". INVALID_ARGUMENT with
// file, line and what is allowed.

// Returns the node types, ascending by name, with only names and numbers of
// nodes set.
absl::StatusOr<std::vector<NodeSource>> ReadNodeTypes(const std::string& stem);

// Reads a flag, True or False, for each type; false for types that the table
// does not name. Returns nullopt if there is no such file.
absl::StatusOr<std::optional<std::vector<bool>>> ReadTypeFlags(
    const std::string& stem, const std::vector<NodeSource>& types);

// Returns the index of a name in `types`, which ascend by name; -1 if there is
// none.
int FindType(const std::vector<NodeSource>& types, absl::string_view name);
// Returns the names, as in "person, project".
std::string TypeNames(const std::vector<NodeSource>& types);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_NODE_TYPE_TABLE_H_
