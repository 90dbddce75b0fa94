// The options of `tributary sample --kind ppr`: from text to what is computed.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_PPR_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_PPR_H_

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Usage errors.
absl::StatusOr<PprOptions> ParsePpr(const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_PPR_H_
