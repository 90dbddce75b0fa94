// Parses the options of `tributary sample` that say where batches are made: a
// folder or a fleet, the mode, threads, timeouts and buffers.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_WORKERS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_WORKERS_H_

#include "absl/status/status.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// Fills the request from --graph or --servers, --mode, --num-workers and
// --feature-memory, or from --worker-options alone. Returns a usage error when
// neither or both of --graph and --servers are given, or for options that do
// not go with the mode.
absl::Status ParseSampleSource(const SampleArguments& arguments,
                               SampleRequest* request);

// Fills the request from --threads, --rpc-timeout, --buffer-size, --worker-key
// and --graph-name. Requires ParseSampleSource() before. Usage errors.
absl::Status ParseSampleWorker(const SampleArguments& arguments,
                               SampleRequest* request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_WORKERS_H_
