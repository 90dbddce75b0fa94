// Plans the arrays of an edge type.
#ifndef TRIBUTARY_PARTITION_WRITER_EDGE_JOBS_H_
#define TRIBUTARY_PARTITION_WRITER_EDGE_JOBS_H_

#include <cstdint>
#include <vector>

#include "partition/schema/schema.h"
#include "partition/writer/array_job.h"
#include "partition/writer/content.h"
#include "partition/writer/placement.h"

namespace tributary {

// One edge type and the data that its arrays are made from.
struct EdgeJobInput {
  const EdgeContent& content;
  const EdgeTypeSchema& schema;
  const NodeContent& src;
  const Placement& src_placement;
  const Placement& dst_placement;
};

// Appends jobs for a partition's arrays. All that `input` refers to must
// outlive the jobs. A job takes 24 bytes per edge of the largest row that it
// sums or sorts, and no other memory that grows with the graph.
void AddEdgeJobs(const EdgeJobInput& input, uint32_t partition,
                 std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_EDGE_JOBS_H_
