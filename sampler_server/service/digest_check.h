// That a request is for the graph that this server has.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_DIGEST_CHECK_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_DIGEST_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "partition/format/schema.h"

namespace tributary {

// FAILED_PRECONDITION, naming both digests, unless `theirs` is the graph's;
// INVALID_ARGUMENT when it is no digest. What names rows is for one layout,
// what names original ids for one content.
absl::Status CheckLayoutDigest(const GraphSchema& schema,
                               const std::string& theirs);
absl::Status CheckContentDigest(const GraphSchema& schema,
                                const std::string& theirs);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_DIGEST_CHECK_H_
