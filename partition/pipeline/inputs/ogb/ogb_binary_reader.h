// Reads OGB's binary layout of a homogeneous graph, as papers100M has it.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_BINARY_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_BINARY_READER_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads raw/data.npz: edge_index [2, E], num_nodes_list [1], num_edges_list [1]
// and optionally node_feat, edge_feat, and the arrays that InputOptions names;
// raw/node-label.npz, if there is one; and the splits of the text layout.
// Arrays that are not compressed are read in place. Errors as ReadInput.
absl::StatusOr<GraphSource> ReadOgbBinary(const InputOptions& options,
                                          const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_BINARY_READER_H_
