// The part of a graph folder that one range of nodes contributes.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_RANGE_OUTPUT_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_RANGE_OUTPUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "partition/source/graph_source.h"
#include "partition/writer/content_schema.h"
#include "partition/writer/streaming/edge_record.h"
#include "partition/writer/streaming/node_tables.h"
#include "partition/writer/streaming/sorted_edges.h"
#include "partition/writer/streaming/type_arrays.h"

namespace tributary {

// The pieces of a range, to be appended in the order of the ranges.
struct RangeOutput {
  // By array of TypeArrays. Those of `indptr` hold degrees (u64), which become
  // sums when they are appended.
  std::vector<std::vector<uint8_t>> pieces;
  DigestSum digest;  // of the nodes' records
};

// The graph, and the type whose nodes are written.
struct RangeInput {
  const GraphSource& source;
  const GraphSchema& schema;
  const std::vector<NodeTable>& nodes;       // by node type
  const std::vector<EdgeRecordForm>& forms;  // by edge type
  int node_type;
  const TypeArrays& arrays;
};

// Makes the pieces of nodes [begin, end). `edges` are those of arrays.edges, in
// that order. Errors as Column::Read.
absl::StatusOr<RangeOutput> MakeRangeOutput(
    const RangeInput& input, int64_t begin, int64_t end,
    const std::vector<SortedEdges>& edges);

// The bytes that MakeRangeOutput takes at most for a node and for each edge of
// a type.
uint64_t OutputBytesPerNode(const NodeSource& nodes);
uint64_t OutputBytesPerEdge(const EdgeTypeSchema& edges,
                            const EdgeRecordForm& form);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_RANGE_OUTPUT_H_
