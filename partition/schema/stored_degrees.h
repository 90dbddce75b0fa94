// Checks that a graph stores the degrees that a session collects.
#ifndef TRIBUTARY_PARTITION_SCHEMA_STORED_DEGREES_H_
#define TRIBUTARY_PARTITION_SCHEMA_STORED_DEGREES_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/schema/schema.h"

namespace tributary {

// Checks a session that collects degrees and whose batches have edges of
// `edge_types`, indices into the schema's. INVALID_ARGUMENT, with the edge type
// and what is allowed, if there are no such types or one is stored without
// degrees.
absl::Status CheckDegreesStored(const GraphSchema& schema,
                                absl::Span<const int> edge_types);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_STORED_DEGREES_H_
