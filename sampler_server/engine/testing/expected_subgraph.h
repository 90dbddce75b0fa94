// The edges of a batch for subgraph_type induced and bidirectional, as
// docs/sampling.md defines them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_SUBGRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_SUBGRAPH_H_

#include <cstddef>

#include "sampler_server/engine/testing/expected_nodes.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// Returns the sampled edge type that is the reverse of type `t`: rev_REL for
// REL, else REL for rev_REL, else `t` itself if its ends have one type. Returns
// a number that no type has if there is none.
size_t ReverseOf(const MemoryGraphSpec& graph,
                 const ExpectedEdgeTypes& edge_types, size_t t);

// Replaces the sampled edges by all edges of the graph between `nodes`.
void Induce(const MemoryGraphSpec& graph, const ExpectedNodeTypes& nodes,
            ExpectedEdgeTypes& edge_types);

// Adds to each type the reverse of each sampled edge of its reverse type. Of
// edges with the same ends one is kept: a sampled one if there is one, else
// that of the smallest id.
void Mirror(const MemoryGraphSpec& graph, ExpectedEdgeTypes& edge_types);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_SUBGRAPH_H_
