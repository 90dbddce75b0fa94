// How users name one of the graphs that servers hold, and one version of it.
#ifndef TRIBUTARY_COMMON_FLEET_GRAPH_NAME_H_
#define TRIBUTARY_COMMON_FLEET_GRAPH_NAME_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"

namespace tributary {

// NAME, or NAME@VERSION where a version is what the graph's content digest
// begins with: products@1f0c77. Without a version it is the newest that a
// server holds. Empty: the servers' only graph.
struct GraphName {
  std::string name;     // of graph.json; empty: any
  std::string version;  // 1 to 64 hexadecimal digits; empty: any

  // INVALID_ARGUMENT says what is allowed.
  static absl::StatusOr<GraphName> Parse(std::string_view text);

  bool empty() const { return name.empty() && version.empty(); }
  bool Matches(std::string_view graph, const Sha256Digest& content) const;
  std::string ToString() const;
  friend bool operator==(const GraphName&, const GraphName&) = default;
};

// "products@1f0c77aa9e5d", short enough to be read and long enough to be one
// graph's alone: Parse takes it.
std::string VersionedName(std::string_view graph, const Sha256Digest& content);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_GRAPH_NAME_H_
