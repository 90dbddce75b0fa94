// The flags that say which edges a batch holds.
#ifndef TRIBUTARY_CLI_SAMPLE_SUBGRAPH_FLAGS_H_
#define TRIBUTARY_CLI_SAMPLE_SUBGRAPH_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/session/subgraph_options.h"

namespace CLI {
class App;
}

namespace tributary {

// Their text as it was given, or the default as a user would write it.
struct SubgraphFlags {
  std::string type = "directional";
  std::string max_scanned_edges;  // empty: the default
  friend bool operator==(const SubgraphFlags&, const SubgraphFlags&) = default;
};

// Adds --subgraph-type and --max-scanned-edges. `flags` must outlive `app`.
void DeclareSubgraphFlags(CLI::App& app, SubgraphFlags& flags);

// Returns a usage error for a wrong value or combination.
absl::StatusOr<SubgraphOptions> ReadSubgraphFlags(const SubgraphFlags& flags);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SUBGRAPH_FLAGS_H_
