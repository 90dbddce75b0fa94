// The name of a served graph, with or without a version.
#ifndef TRIBUTARY_COMMON_FLEET_GRAPH_NAME_H_
#define TRIBUTARY_COMMON_FLEET_GRAPH_NAME_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"

namespace tributary {

// NAME or NAME@VERSION, for example products@1f0c77. A version is a prefix of
// the graph's content digest, in hexadecimal. Without a version the name means
// the newest version that a server holds; an empty name means the servers' only
// graph.
struct GraphName {
  std::string name;     // the name in graph.json; empty: any
  std::string version;  // 1 to 64 hexadecimal digits; empty: any

  // Parses NAME, NAME@VERSION or an empty text; INVALID_ARGUMENT says what is
  // allowed.
  static absl::StatusOr<GraphName> Parse(std::string_view text);

  bool empty() const { return name.empty() && version.empty(); }
  // Returns whether a graph of this name and content digest is meant.
  bool Matches(std::string_view graph, const Sha256Digest& content) const;
  std::string ToString() const;
  friend bool operator==(const GraphName&, const GraphName&) = default;
};

// Returns a graph's name with its version, such as "products@1f0c77aa9e5d":
// short enough to read, long enough to be unique. GraphName::Parse accepts it.
std::string VersionedName(std::string_view graph, const Sha256Digest& content);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_GRAPH_NAME_H_
