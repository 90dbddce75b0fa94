// The options of `tributary sample --kind walk`: from text to what is walked.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_WALK_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_WALK_H_

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Usage errors.
absl::StatusOr<WalkOptions> ParseWalk(const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_WALK_H_
