// Who makes the batches of `tributary sample`: a server in this process,
// processes of its own, or a fleet.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_SOURCE_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_SOURCE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

// As the request says it.
absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenSampleSource(
    const SampleRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_SOURCE_H_
