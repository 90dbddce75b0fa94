// Compares a sample of a graph folder with its input, without loading either.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_SAMPLE_CHECK_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_SAMPLE_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "partition/format/graph.h"
#include "partition/source/graph_source.h"

namespace tributary {

struct SampleCheckOptions {
  uint64_t count = 0;        // of each node type, edge type and split of edges
  uint64_t random_seed = 0;  // chooses them
};

// Compares types, columns, numbers of nodes and edges and splits of nodes as
// they are, and of everything else `count` random items, each once:
//   - nodes: the node map leads to a row that has the node's id, x, y and time;
//   - rows of the input: each is an edge where its ends say, with its columns;
//   - edges of the graph: the row that an edge's id names has its ends;
//   - entries of splits of edges: their ends.
// Takes some bytes for each item; a column of the input is read by single rows.
// Compares nothing of partitions that are not open, and then takes 8 bytes for
// each node of a type. FAILED_PRECONDITION names the
// first difference; DATA_LOSS a value of the graph that cannot be; other errors
// are those of Column::Read.
absl::Status CompareSample(const Graph& graph, const GraphSource& input,
                           const SampleCheckOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_SAMPLE_CHECK_H_
