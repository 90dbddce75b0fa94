// Who makes the batches of `tributary sample`: a server in this process,
// processes of its own, or a fleet.
#ifndef TRIBUTARY_CLI_SAMPLE_SOURCE_H_
#define TRIBUTARY_CLI_SAMPLE_SOURCE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "cli/sample_request.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// Outlives the loaders made on it.
class SampleSource {
 public:
  // By request.worker_options, a file, or else as flags say: with request.graph
  // it opens the graph and starts the server or workers on it.
  static absl::StatusOr<std::unique_ptr<SampleSource>> Open(
      const SampleRequest& request);
  virtual ~SampleSource() = default;

  virtual LoaderEnvironment environment() = 0;
  // What loaders are told of it.
  virtual const RemoteDistSamplingWorkerOptions& loader() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SOURCE_H_
