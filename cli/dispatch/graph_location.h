// Finds the graph that --part_config names.
#ifndef TRIBUTARY_CLI_DISPATCH_GRAPH_LOCATION_H_
#define TRIBUTARY_CLI_DISPATCH_GRAPH_LOCATION_H_

#include <string>

#include "absl/status/statusor.h"

namespace tributary {

// Returns the graph folder, relative to `base` where `part_config` is, that a
// value of --part_config names: the folder, its graph.json, or, as users of DGL
// write it, NAME.json where the folder NAME or the folder of NAME.json is the
// graph. NOT_FOUND says where it was looked for; FAILED_PRECONDITION if there
// is DGL's own partition instead, with what makes a graph of it.
absl::StatusOr<std::string> FindGraph(const std::string& base,
                                      const std::string& part_config);

// Returns `path` as seen from the folder `base`: relative ones begin there.
std::string PathFrom(const std::string& base, const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_GRAPH_LOCATION_H_
