// Plans the arrays of a node type.
#ifndef TRIBUTARY_PARTITION_WRITER_NODE_JOBS_H_
#define TRIBUTARY_PARTITION_WRITER_NODE_JOBS_H_

#include <cstdint>
#include <vector>

#include "partition/writer/array_job.h"
#include "partition/writer/content.h"
#include "partition/writer/placement.h"

namespace tributary {

// Appends jobs for the node map and its ranks. All arguments must outlive the
// jobs.
void AddNodeMapJobs(const NodeContent& type, const Placement& placement,
                    uint32_t num_partitions, std::vector<ArrayJob>& jobs);
// Appends jobs for a partition's arrays. All arguments must outlive the jobs.
void AddNodeJobs(const NodeContent& type, const Placement& placement,
                 uint32_t partition, std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_NODE_JOBS_H_
