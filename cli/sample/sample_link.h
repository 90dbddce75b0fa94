// The options of `tributary sample --kind link`: from text to which links.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_LINK_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_LINK_H_

#include "absl/status/status.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Opens nothing: the links' files are read by ReadLinkFiles. Usage errors.
absl::Status ParseLink(const SampleArguments& arguments,
                       SampleRequest* request);

// How neighbours are drawn, and the links' times. Likewise; after ParseLink.
absl::Status ParseLinkDraws(const SampleArguments& arguments,
                            SampleRequest* request);

// Reads what the request names by files, if it is one of links.
absl::Status ReadLinkFiles(SampleRequest* request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_LINK_H_
