// Stores the edges of a homogeneous graph by source too.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OUT_EDGES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OUT_EDGES_H_

#include "absl/status/status.h"
#include "partition/source/graph_source.h"
#include "partition/writer/content.h"

namespace tributary {

// Adds the edge type `node,rev_to,node`: every edge reversed, with its id and
// columns, for sessions whose edge_dir is out or both. INVALID_ARGUMENT for a
// heterogeneous graph, which gets reverse edges by --add-reverse.
absl::Status AddOutEdges(GraphContent* content);
absl::Status AddOutEdges(GraphSource* graph);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OUT_EDGES_H_
