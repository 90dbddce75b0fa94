// Reads a graph folder's content back by original ids and checks its structure.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_READ_BACK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_READ_BACK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "partition/format/graph.h"
#include "partition/writer/content.h"

namespace tributary {

// Returns the content of a graph that was opened with all partitions. The
// content keeps the graph open, since it reads rows from it. Takes 8 to 16
// bytes per edge and 8 per node, and 8 more for each edge or node that has a
// time. DATA_LOSS says which partition, row and edge is wrong: original ids
// that do not ascend or disagree with the node map, neighbours out of range,
// edges out of canonical order, a duplicate edge id, a split with an id that is
// no node, and what CheckDerived checks.
absl::StatusOr<GraphContent> ReadBack(std::shared_ptr<const Graph> graph);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_READ_BACK_H_
