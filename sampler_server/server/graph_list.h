// Which graphs a server serves, as users write it.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_LIST_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

struct GraphSource {
  std::string folder;
  std::vector<uint32_t> partitions;  // to serve; empty: all
  friend bool operator==(const GraphSource&, const GraphSource&) = default;
};

// "all" (empty), or numbers: "0,2". INVALID_ARGUMENT names the one that is
// wrong.
absl::StatusOr<std::vector<uint32_t>> ParsePartitions(std::string_view text);

// A graph a line: its folder and, after a blank, its partitions, if they are
// not `partitions`; what follows # is a comment. INVALID_ARGUMENT with `path`
// and the number of the first line that is wrong, or of a folder's second.
absl::StatusOr<std::vector<GraphSource>> ParseGraphFile(
    std::string_view text, std::string_view path,
    const std::vector<uint32_t>& partitions);
absl::StatusOr<std::vector<GraphSource>> ReadGraphFile(
    const std::string& path, const std::vector<uint32_t>& partitions);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_LIST_H_
