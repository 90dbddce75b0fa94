// Parses the flags of `tributary sample --kind ppr`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_PPR_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_PPR_H_

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Returns a usage error for a missing or wrong value.
absl::StatusOr<PprOptions> ParsePpr(const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_PPR_H_
