// Plans the arrays that locate the edges of a type by their ids.
#ifndef TRIBUTARY_PARTITION_WRITER_EDGE_INDEX_JOBS_H_
#define TRIBUTARY_PARTITION_WRITER_EDGE_INDEX_JOBS_H_

#include <vector>

#include "partition/schema/schema.h"
#include "partition/writer/array_job.h"
#include "partition/writer/content.h"
#include "partition/writer/placement.h"

namespace tributary {

// Appends jobs for the partition and the position of each edge id below
// schema.num_edge_ids (see EdgeIndex). The arguments must outlive the jobs,
// which take 2 and 8 bytes per id.
void AddEdgeIndexJobs(const EdgeContent& edges, const EdgeTypeSchema& schema,
                      const Placement& destinations,
                      std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_EDGE_INDEX_JOBS_H_
