// Which edges a batch of another subgraph_type holds, by definition.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_SUBGRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_SUBGRAPH_H_

#include <cstddef>

#include "sampler_server/engine/testing/expected_nodes.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// Of the types that are sampled the one that leads back: rev_REL of REL, else
// REL of rev_REL, else itself if it can; none: no type's number.
size_t ReverseOf(const MemoryGraphSpec& graph,
                 const OracleEdgeTypes& edge_types, size_t t);

// All edges between the nodes, instead of those that were drawn.
void Induce(const MemoryGraphSpec& graph, const OracleNodeTypes& nodes,
            OracleEdgeTypes& edge_types);

// Drawn edges and the mirror images of those of the reverse type.
void Mirror(const MemoryGraphSpec& graph, OracleEdgeTypes& edge_types);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_SUBGRAPH_H_
