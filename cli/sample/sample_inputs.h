// Parses the options of `tributary sample` that name a batch's input nodes and
// their weights. Files are named, not read: ReadListFiles() reads them.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_INPUTS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_INPUTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Fills the request from --input-nodes: "[TYPE:]NAME", "[TYPE:]SCHEME/NAME",
// "[TYPE:]1,2,3", "[TYPE:]@FILE.npy" or "[TYPE:]*". A text with a slash is a
// split even where it begins with a number. Returns a usage error for anything
// else.
absl::Status ParseInputNodes(absl::string_view text, SampleRequest* request);

// Fills the request from --input-weight: "@FILE.npy", or "" for none. Requires
// loader.shuffle to be set. Returns a usage error for another text, or an order
// of inputs that weights do not go with.
absl::Status ParseInputWeight(const std::string& text, SampleRequest* request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_INPUTS_H_
