// Reads OGB's raw layout of a heterogeneous graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_HETERO_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_HETERO_READER_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads the folder of `options`. Each file is .csv.gz or .csv; [h] marks a
// header of node types with one row below it.
//   raw/num-node-dict [h]                         nodes of each type
//   raw/triplet-type-list                         "head,relation,tail" a line
//   raw/relations/<head>___<relation>___<tail>/{edge,num-edge-list[,edge-feat]}
//   raw/node-feat/<type>/node-feat, raw/node-label/<type>/node-label
//   raw/nodetype-has-{feat,label} [h]             True or False of each type
//   raw/relations/<head>___<relation>___<tail>/{<edge_weight>,<edge_time>,
//   <edge_masks>} and raw/<node_time>/<type>/<node_time>, if InputOptions names
//   such files: for at least one relation or type
//   split/<scheme>/<type>/{train,valid,test}, split/<scheme>/nodetype-has-split
// Tables of True and False may be missing; if present they must agree with the
// files. With add_reverse, a relation r from a to b also gives rev_r from b to
// a with the same edge ids, which share the rows of edge_attr, weights, times
// and masks. Files that belong to no node type or relation are left out, with a
// note. Errors as ReadInput.
absl::StatusOr<GraphSource> ReadOgbHetero(const InputOptions& options,
                                          const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_HETERO_READER_H_
