// Plans the arrays of degrees of an edge type.
#ifndef TRIBUTARY_PARTITION_WRITER_DEGREE_JOBS_H_
#define TRIBUTARY_PARTITION_WRITER_DEGREE_JOBS_H_

#include <cstdint>
#include <vector>

#include "partition/schema/schema.h"
#include "partition/writer/array_job.h"
#include "partition/writer/content.h"

namespace tributary {

// Appends jobs for the in-degrees and the out-degrees, by original id; there
// are `num_sources` out-degrees. The arguments must outlive the jobs. The
// second job takes 8 bytes per source.
void AddDegreeJobs(const EdgeContent& edges, const EdgeTypeSchema& schema,
                   int64_t num_sources, std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_DEGREE_JOBS_H_
