// Reads OGB's binary layout of a heterogeneous graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_HETERO_BINARY_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_HETERO_BINARY_READER_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads the files raw/NAME.npz with one array for each node type or relation,
// "<head>___<relation>___<tail>": num_nodes_dict and num_edges_dict [1],
// edge_index_dict [2, E] and optionally node_feat_dict, edge_feat_dict,
// node-label, and those that InputOptions names ("node_year" is
// raw/node_year_dict.npz or raw/node_year.npz); and the splits of the text
// layout. Arrays that are not compressed are read in place. Errors as
// ReadInput.
absl::StatusOr<GraphSource> ReadOgbHeteroBinary(const InputOptions& options,
                                                const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_HETERO_BINARY_READER_H_
