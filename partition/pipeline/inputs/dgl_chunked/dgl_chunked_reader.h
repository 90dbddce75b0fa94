// Reads graphs in DGL's chunked format.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_DGL_CHUNKED_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_DGL_CHUNKED_READER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads what options.folder + "/metadata.json" describes. Arrays have a use by
// their names; the options name others:
//   nodes  x      feat, features, x   options.layout.features
//          y      label, labels, y    options.layout.labels
//          time   time                options.node_time
//   edges  attr   feat, features, x   options.layout.edge_features
//          weight weight              options.edge_weight
//          time   time                options.edge_time
//          masks  -                   options.edge_masks
// {train,val,valid,test}_mask of nodes and edges become the splits train, valid
// and test, in ascending order. The graph's notes name other arrays, which are
// left out. A graph of DGL's types _N and _N:_E:_N, or node and node:to:node,
// is homogeneous. Errors as ParseDglMetadata and ChunkReader; INVALID_ARGUMENT
// for an option that names no array.
absl::StatusOr<GraphSource> ReadDglChunked(const InputOptions& options,
                                           const Spool& spool);

// Returns the paths of all files that FOLDER/metadata.json names. Errors as
// ParseDglMetadata.
absl::StatusOr<std::vector<std::string>> ListDglChunks(
    const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_DGL_CHUNKED_READER_H_
