// The options of `tributary sample --kind link`: from text to which links.
#ifndef TRIBUTARY_CLI_SAMPLE_LINK_H_
#define TRIBUTARY_CLI_SAMPLE_LINK_H_

#include "absl/status/status.h"
#include "cli/sample_request.h"

namespace tributary {

// Opens nothing: the links' file is read by ReadListFiles. Usage errors.
absl::Status ParseLink(const SampleArguments& arguments,
                       SampleRequest* request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_LINK_H_
