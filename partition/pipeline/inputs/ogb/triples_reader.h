// Reads knowledge graphs given as triples, such as FB15k-237.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TRIPLES_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TRIPLES_READER_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads raw/{num-node-list,num-relation-list,num-edge-list} and raw/train,
// optionally raw/{valid,test}, with "head,relation,tail" per line; each .csv.gz
// or .csv, without a header. There is one node type, `entity`. Relation k is
// the edge type `entity,NAME,entity` (ReadRelationNames), whose edges are
// train's triples in their order; with add_reverse there is also
// `entity,rev_NAME,entity`. The three
// files are splits of the edges of each relation that occurs in them. Errors as
// ReadInput.
absl::StatusOr<GraphSource> ReadTriples(const InputOptions& options,
                                        const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TRIPLES_READER_H_
