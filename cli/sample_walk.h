// The options of `tributary sample --kind walk`: from text to what is walked.
#ifndef TRIBUTARY_CLI_SAMPLE_WALK_H_
#define TRIBUTARY_CLI_SAMPLE_WALK_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/sample_request.h"

namespace tributary {

// Usage errors.
absl::StatusOr<WalkOptions> ParseWalk(const SampleArguments& arguments);

// An option of walks beside another kind is a usage error, and so is the
// reverse.
absl::Status CheckNoWalk(const SampleArguments& arguments);
absl::Status CheckOnlyWalk(const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_WALK_H_
