// Opens what makes the batches of `tributary sample`: a server in this process,
// worker processes, or a fleet.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_SOURCE_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/sample/sample_request.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

// Returns where the request's batches are made. Loaders print to stderr what
// they wait for, as `command` ("tributary sample").
BatchSourceOptions SourceOf(const SampleRequest& request,
                            const std::string& command);

// Returns the workers that the request describes, or the errors of
// SamplingWorkers::OpenSource(). `on_traced`: see LoaderEnvironment.
absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenSampleSource(
    const SampleRequest& request, const std::string& command,
    TracedObserver on_traced = nullptr);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_SOURCE_H_
