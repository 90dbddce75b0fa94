#include "cli/sample/subgraph_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "common/text/status.h"

namespace tributary {

void DeclareSubgraphFlags(CLI::App& app, SubgraphFlags& flags) {
  app.add_option(
         "--subgraph-type", flags.type,
         "Edges of a batch: directional (the sampled ones), bidirectional "
         "(also the reverse of each) or induced (all between its nodes)")
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option("--max-scanned-edges", flags.max_scanned_edges,
                 absl::StrCat("induced: most in-edges scanned for a batch [",
                              kDefaultMaxScannedEdges, "]"))
      ->type_name("N");
}

absl::StatusOr<SubgraphOptions> ReadSubgraphFlags(const SubgraphFlags& flags) {
  SubgraphOptions options;
  ASSIGN_OR_RETURN(const size_t type,
                   ParseChoice("--subgraph-type", flags.type,
                               {"directional", "bidirectional", "induced"}));
  options.type = static_cast<SubgraphType>(type);
  if (flags.max_scanned_edges.empty()) return options;
  if (options.type != SubgraphType::kInduced) {
    return UsageError(
        "--max-scanned-edges goes with --subgraph-type induced only\nallowed: "
        "leave it out, or --subgraph-type induced");
  }
  ASSIGN_OR_RETURN(options.max_scanned_edges,
                   ParseWhole("--max-scanned-edges", flags.max_scanned_edges, 1,
                              kMaxScannedEdges));
  return options;
}

}  // namespace tributary
