// Counts edges and distributes them by ranges of their destinations.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_BUCKET_PASS_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_BUCKET_PASS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"
#include "partition/writer/streaming/edge_record.h"
#include "partition/writer/streaming/node_ranges.h"
#include "partition/writer/streaming/node_tables.h"

namespace tributary {

// Reports how many rows more have been read.
using RowsDone = std::function<void(int64_t rows)>;

// The edges of a type by destination, before --dedupe.
struct EdgeCounts {
  DestinationCounts by_range;
  std::vector<int64_t> by_partition;
};

// Reads the destinations (with add_reverse both ends) of an edge type and
// checks that both ends are nodes: OUT_OF_RANGE names the row. `nodes` are the
// tables by node type. Takes up to 512 KiB and 8 bytes a partition per thread,
// beside blocks of rows.
absl::StatusOr<EdgeCounts> CountEdges(const EdgeSource& edges,
                                      const std::vector<NodeTable>& nodes,
                                      int threads, const RowsDone& rows_done);

// Distributes the edges of a type to a complete spill file, with one bucket for
// each of `ranges`. Takes `buffer_bytes`. An edge's columns are checked:
// INVALID_ARGUMENT names the row of a weight that is not finite or negative, or
// of a mask that is neither 0 nor 1.
absl::Status SpillEdges(const EdgeSource& edges, const EdgeRecordForm& form,
                        const NodeRanges& ranges, const std::string& path,
                        uint64_t buffer_bytes, int threads,
                        const RowsDone& rows_done);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_BUCKET_PASS_H_
