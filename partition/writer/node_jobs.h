// The arrays of a node type.
#ifndef TRIBUTARY_PARTITION_WRITER_NODE_JOBS_H_
#define TRIBUTARY_PARTITION_WRITER_NODE_JOBS_H_

#include <cstdint>
#include <vector>

#include "partition/writer/array_job.h"
#include "partition/writer/content.h"
#include "partition/writer/placement.h"

namespace tributary {

// Appends the node map and its ranks. All arguments outlive the jobs.
void AddNodeMapJobs(const NodeContent& type, const Placement& placement,
                    uint32_t num_partitions, std::vector<ArrayJob>& jobs);
// Appends a partition's arrays.
void AddNodeJobs(const NodeContent& type, const Placement& placement,
                 uint32_t partition, std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_NODE_JOBS_H_
