// Flags of edge lists and configs.
#ifndef TRIBUTARY_CLI_GRAPH_LAYOUT_OPTIONS_H_
#define TRIBUTARY_CLI_GRAPH_LAYOUT_OPTIONS_H_

#include <string>

#include "partition/pipeline/inputs/layout/layout_flags.h"

namespace CLI {
class App;
}

namespace tributary {

// Adds --config and the flags that say where the values of an edge list are, in
// a group of their own. Parsing writes into `flags`, which must outlive `app`.
void AddLayoutFlags(CLI::App& app, LayoutFlags& flags);
// Returns the given ones, as graph.json records them, without folders.
std::string LayoutMadeBy(const LayoutFlags& flags);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_LAYOUT_OPTIONS_H_
