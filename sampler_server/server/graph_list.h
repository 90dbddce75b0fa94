// Parses which graphs, and which of their partitions, a server serves.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_LIST_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/partition_choice.h"

namespace tributary {

// A graph folder and the partitions to serve of it.
struct ListedGraph {
  std::string folder;
  PartitionChoice partitions;  // to serve
  friend bool operator==(const ListedGraph&, const ListedGraph&) = default;
};

// Parses a list of graphs, one a line: its folder and, after a blank, its
// partitions as PartitionChoice::Parse takes them; `partitions` where a line
// has none. Text after # is a comment.
// INVALID_ARGUMENT, with `path` and the line's number, for a line that cannot
// be parsed or that names a folder again.
absl::StatusOr<std::vector<ListedGraph>> ParseGraphFile(
    std::string_view text, std::string_view path,
    const PartitionChoice& partitions);
// Does the same for the contents of a file.
absl::StatusOr<std::vector<ListedGraph>> ReadGraphFile(
    const std::string& path, const PartitionChoice& partitions);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_LIST_H_
