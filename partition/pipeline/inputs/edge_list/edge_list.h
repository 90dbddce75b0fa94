// Reads edge lists: tables of edges, and of nodes.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_LIST_EDGE_LIST_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_LIST_EDGE_LIST_H_

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Reads what options.layout.config says, or a homogeneous graph: options.folder
// is a file of edges, or a folder with edges.{csv,tsv,txt,parquet} and perhaps
// nodes.{...}, text also with .gz; options.layout names the columns.
// docs/data.md has the rules. Errors as ReadLayout and ReadGraphLayout.
absl::StatusOr<GraphSource> ReadEdgeList(const InputOptions& options,
                                         const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_LIST_EDGE_LIST_H_
