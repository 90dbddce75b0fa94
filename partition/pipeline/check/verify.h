// Whether a graph folder is what it says, and what an input says.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_H_

#include <string>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"

namespace tributary {

// Reads every byte of the folder: checksums, structure (see ReadBack), both
// digests. Returns its content. DATA_LOSS, NOT_FOUND or INVALID_ARGUMENT says
// what is wrong and where.
absl::StatusOr<GraphContent> VerifyGraph(const std::string& folder);

// FAILED_PRECONDITION with the first difference: types, counts, then node by
// node rows and in-edges, then splits. Names of graphs are not compared.
absl::Status CompareContent(const GraphContent& graph,
                            const GraphContent& input);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_H_
