// `tributary sample --kind`: which options go with which kind of sampling.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_KINDS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_KINDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// A kind's option beside another kind is a usage error that names the kinds it
// goes with.
absl::Status CheckKindOptions(const SampleArguments& arguments,
                              absl::string_view kind);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_KINDS_H_
