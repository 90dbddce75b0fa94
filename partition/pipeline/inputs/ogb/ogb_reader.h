// Reads OGB's raw layouts.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_READER_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads raw/{edge,num-node-list,num-edge-list} and, if present, raw/{edge-feat,
// node-feat,node-label}, the files that InputOptions names, and
// split/<scheme>/{train,valid,test}; each .csv.gz or .csv, without a header.
// Ignores other files. Splits of edges (two columns) are left out, with a note.
// A folder with raw/triplet-type-list or raw/num-node-dict is read by
// ReadOgbHetero. Errors as ReadInput.
absl::StatusOr<GraphSource> ReadOgb(const InputOptions& options,
                                    const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_READER_H_
