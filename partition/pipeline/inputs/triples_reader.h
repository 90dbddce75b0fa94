// Knowledge graphs as triples, as FB15k-237 and its like are published.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TRIPLES_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TRIPLES_READER_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/input.h"

namespace tributary {

// raw/{num-node-list,num-relation-list,num-edge-list} and raw/train, optionally
// raw/{valid,test}, of "head,relation,tail" a line; each .csv.gz or .csv,
// without a header. One node type, `entity`; relation k is the edge type
// `entity,r<k>,entity`, whose edges are train's triples in their order; with
// add_reverse also `entity,rev_r<k>,entity`. The three files are splits of
// edges of each relation that they have. Errors as ReadInput.
absl::StatusOr<Input> ReadTriples(const InputOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TRIPLES_READER_H_
