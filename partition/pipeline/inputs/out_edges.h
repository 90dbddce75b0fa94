// The edges of a homogeneous graph by the nodes that they lead from.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OUT_EDGES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OUT_EDGES_H_

#include "absl/status/status.h"
#include "partition/writer/content.h"

namespace tributary {

// Adds `node,rev_to,node`: every edge turned round, with its id and columns,
// for sessions whose edge_dir is out or both. INVALID_ARGUMENT for a graph with
// types, whose relations --add-reverse turns round.
absl::Status AddOutEdges(GraphContent* content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OUT_EDGES_H_
