// The degrees of an edge type's ends.
#ifndef TRIBUTARY_PARTITION_FORMAT_DEGREE_JOBS_H_
#define TRIBUTARY_PARTITION_FORMAT_DEGREE_JOBS_H_

#include <cstdint>
#include <vector>

#include "partition/format/array_job.h"
#include "partition/format/content.h"
#include "partition/format/schema.h"

namespace tributary {

// Appends the in-degrees and the out-degrees by original id, of which there are
// `num_sources`. References outlive the jobs, the second of which takes 8 bytes
// a source.
void AddDegreeJobs(const EdgeContent& edges, const EdgeTypeSchema& schema,
                   int64_t num_sources, std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_DEGREE_JOBS_H_
