// SEAL's enclosing subgraphs, computed straight from docs/sampling.md.
#ifndef TRIBUTARY_TESTS_KINDS_DEFINED_ENCLOSING_H_
#define TRIBUTARY_TESTS_KINDS_DEFINED_ENCLOSING_H_

#include <map>
#include <string>

#include "common/session/link_columns.h"
#include "sampler_server/engine/testing/expected_batch.h"

namespace tributary {

// Removes the links' own edges from their trees, and returns the tensor `z` of
// node labels.
ExpectedTensors EncloseDefined(const MemoryGraphSpec& graph,
                               const MemoryGraphSpec::EdgeType& type,
                               const LinkColumns& links,
                               const ExpectedNodeTypes& node_types,
                               ExpectedEdgeTypes& edge_types);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_DEFINED_ENCLOSING_H_
