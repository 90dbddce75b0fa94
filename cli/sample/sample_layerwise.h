// Parses the flags of `tributary sample --kind layerwise`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_LAYERWISE_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_LAYERWISE_H_

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Returns a usage error for a missing or wrong value.
absl::StatusOr<LayerwiseOptions> ParseLayerwise(
    const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_LAYERWISE_H_
