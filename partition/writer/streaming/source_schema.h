// Checks a GraphSource and makes its schema.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_SOURCE_SCHEMA_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_SOURCE_SCHEMA_H_

#include "absl/status/status.h"
#include "partition/schema/schema.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Checks that columns have the rows and types that they must have, that types
// and splits match, and that split ids are nodes or rows. Reads no column.
// INVALID_ARGUMENT or OUT_OF_RANGE names the part.
absl::Status CheckSource(const GraphSource& source);

// Returns the schema as SchemaOf(GraphContent); num_edges are rows, or twice as
// many with add_reverse.
GraphSchema SchemaOf(const GraphSource& source);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_SOURCE_SCHEMA_H_
