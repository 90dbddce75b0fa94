// The command-line options of which edges a batch holds.
#ifndef TRIBUTARY_CLI_SAMPLE_SUBGRAPH_FLAGS_H_
#define TRIBUTARY_CLI_SAMPLE_SUBGRAPH_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/session/subgraph_options.h"

namespace CLI {
class App;
}

namespace tributary {

// Their text as it was given.
struct SubgraphFlags {
  std::string type = "directional";
  std::string max_scanned_edges;  // empty: the default
  friend bool operator==(const SubgraphFlags&, const SubgraphFlags&) = default;
};

// --subgraph-type, --max-scanned-edges.
void DeclareSubgraphFlags(CLI::App& app, SubgraphFlags& flags);

// Usage errors.
absl::StatusOr<SubgraphOptions> ReadSubgraphFlags(const SubgraphFlags& flags);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SUBGRAPH_FLAGS_H_
