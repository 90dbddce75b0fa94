// Counts what is left of a type's edges when parallel ones are merged.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_MERGED_EDGES_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_MERGED_EDGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/writer/streaming/bucket_pass.h"
#include "partition/writer/streaming/edge_record.h"
#include "partition/writer/streaming/node_ranges.h"
#include "partition/writer/streaming/node_tables.h"
#include "partition/writer/streaming/spill_file.h"

namespace tributary {

struct MergedCounts {
  int64_t num_edges = 0;
  std::vector<int64_t> by_partition;  // of their destinations
  int64_t largest_id = -1;            // of their ids; -1: there are no edges
};

// Reads a type's spill file, by the ranges and the table of its destinations.
// `nodes_done` reports how many destinations more have been counted.
absl::StatusOr<MergedCounts> CountMerged(const SpillReader& spill,
                                         const EdgeRecordForm& form,
                                         const NodeRanges& ranges,
                                         const NodeTable& nodes,
                                         uint32_t num_partitions, int threads,
                                         const RowsDone& nodes_done);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_MERGED_EDGES_H_
