// The options of `tributary sample --kind layerwise`: from text to what is
// drawn.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_LAYERWISE_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_LAYERWISE_H_

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Usage errors.
absl::StatusOr<LayerwiseOptions> ParseLayerwise(
    const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_LAYERWISE_H_
