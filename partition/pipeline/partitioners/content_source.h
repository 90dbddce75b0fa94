// A graph in memory as a GraphSource.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_CONTENT_SOURCE_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_CONTENT_SOURCE_H_

#include "partition/source/graph_source.h"
#include "partition/writer/content.h"

namespace tributary {

// Returns the nodes, ends of edges and splits of nodes of `content`, which must
// outlive the result. Row i of an edge type is its edge at position i, which is
// not its id; add_reverse and dedupe are false since they have been applied.
// Columns other than the ends are null.
GraphSource SourceOfContent(const GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_CONTENT_SOURCE_H_
