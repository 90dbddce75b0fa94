// A user's graph, loaded into memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LOAD_CONTENT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LOAD_CONTENT_H_

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"
#include "partition/writer/content.h"

namespace tributary {

// Loads all of a graph: for methods that need it in memory and for checks.
// Takes what GraphContent takes and while an edge type is loaded 16 bytes per
// row more. OUT_OF_RANGE names the row with an end that is no node; otherwise
// errors as Column::Read and Adjacency::FromRows.
absl::StatusOr<GraphContent> LoadContent(const GraphSource& source);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LOAD_CONTENT_H_
