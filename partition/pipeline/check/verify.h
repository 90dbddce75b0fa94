// Verifies a graph folder, and compares it with an input.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_H_

#include <string>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"

namespace tributary {

// Reads every byte of the folder and checks checksums, structure (see ReadBack
// and CheckExternalIds) and both digests. Returns its content. DATA_LOSS,
// NOT_FOUND or INVALID_ARGUMENT says what is wrong and where.
absl::StatusOr<GraphContent> VerifyGraph(const std::string& folder);

// Compares types, counts, then node by node rows and in-edges, then splits, but
// not the graphs' names. FAILED_PRECONDITION describes the first difference.
absl::Status CompareContent(const GraphContent& graph,
                            const GraphContent& input);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_VERIFY_H_
