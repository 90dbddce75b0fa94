// A graph folder's content by original ids again, its structure checked on the
// way.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_READ_BACK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_READ_BACK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "partition/format/graph.h"
#include "partition/writer/content.h"

namespace tributary {

// Needs a graph opened with all partitions, and keeps it open: rows are read
// from it. Takes 8 to 16 bytes an edge and 8 a node, and 8 more of each that
// has times. DATA_LOSS says which partition, row and edge is wrong: original
// ids that do not ascend or disagree with the node map, neighbours out of
// range, edges out of canonical order, an edge id that is there twice, a split
// with an id that is no node, and what CheckDerived checks.
absl::StatusOr<GraphContent> ReadBack(std::shared_ptr<const Graph> graph);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_READ_BACK_H_
