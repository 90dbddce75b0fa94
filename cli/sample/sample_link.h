// Parses the flags of `tributary sample --kind link`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_LINK_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_LINK_H_

#include "absl/status/status.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Fills the request's links and negatives. Opens no file: ReadLinkFiles() does.
// Returns a usage error for a wrong value or combination.
absl::Status ParseLink(const SampleArguments& arguments,
                       SampleRequest* request);

// Fills the draws of neighbours and the links' times, in the same way. Requires
// ParseLink() before.
absl::Status ParseLinkDraws(const SampleArguments& arguments,
                            SampleRequest* request);

// Reads the files that the request names: links, times and negatives. Does
// nothing for a request without links. Returns the readers' errors;
// INVALID_ARGUMENT when edge types have different numbers of negatives.
absl::Status ReadLinkFiles(SampleRequest* request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_LINK_H_
