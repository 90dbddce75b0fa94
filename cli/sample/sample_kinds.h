// Checks that the flags of `tributary sample` belong to the kind of sampling.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_KINDS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_KINDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Returns a usage error, which names the kinds that the flag belongs to, if a
// flag was given that `kind` does not have.
absl::Status CheckKindOptions(const SampleArguments& arguments,
                              absl::string_view kind);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_KINDS_H_
