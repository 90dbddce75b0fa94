// The degrees of an edge type's ends.
#ifndef TRIBUTARY_PARTITION_WRITER_DEGREE_JOBS_H_
#define TRIBUTARY_PARTITION_WRITER_DEGREE_JOBS_H_

#include <cstdint>
#include <vector>

#include "partition/schema/schema.h"
#include "partition/writer/array_job.h"
#include "partition/writer/content.h"

namespace tributary {

// Appends the in-degrees and the out-degrees by original id, of which there are
// `num_sources`. References outlive the jobs, the second of which takes 8 bytes
// a source.
void AddDegreeJobs(const EdgeContent& edges, const EdgeTypeSchema& schema,
                   int64_t num_sources, std::vector<ArrayJob>& jobs);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_DEGREE_JOBS_H_
