// Tables of one row below a header of node types.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_NODE_TYPE_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_NODE_TYPE_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/writer/content.h"

namespace tributary {

// Both take a path without ".csv.gz" or ".csv". INVALID_ARGUMENT with file,
// line and what is allowed.

// Names and numbers of nodes, ascending by name; the rest is empty.
absl::StatusOr<std::vector<NodeContent>> ReadNodeTypes(const std::string& stem);

// What a table of True and False says of each type; a type that it does not
// name is False. None when there is no such file.
absl::StatusOr<std::optional<std::vector<bool>>> ReadTypeFlags(
    const std::string& stem, const std::vector<NodeContent>& types);

// The place of a name among `types`, which ascend by name; -1: none.
int FindType(const std::vector<NodeContent>& types, absl::string_view name);
// "person, project".
std::string TypeNames(const std::vector<NodeContent>& types);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_NODE_TYPE_TABLE_H_
