// A graph's schema, as specifications are built for it.
#ifndef TRIBUTARY_PARTITION_SCHEMA_SPEC_GRAPH_H_
#define TRIBUTARY_PARTITION_SCHEMA_SPEC_GRAPH_H_

#include "common/session/spec_builder.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns the names, digests and visible edge types of the graph.
SpecGraph SpecGraphOf(const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_SPEC_GRAPH_H_
