// SEAL's subgraphs as docs/sampling.md words them, written down once more.
#ifndef TRIBUTARY_TESTS_KINDS_DEFINED_ENCLOSING_H_
#define TRIBUTARY_TESTS_KINDS_DEFINED_ENCLOSING_H_

#include <map>
#include <string>

#include "common/session/link_columns.h"
#include "sampler_server/engine/testing/expected_batch.h"

namespace tributary {

// Leaves the links' own edges out of their trees, and labels the nodes: `z`.
OracleTensors EncloseDefined(const MemoryGraphSpec& graph,
                             const MemoryGraphSpec::EdgeType& type,
                             const LinkColumns& links,
                             const OracleNodeTypes& node_types,
                             OracleEdgeTypes& edge_types);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_DEFINED_ENCLOSING_H_
