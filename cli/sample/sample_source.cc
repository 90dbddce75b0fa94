#include "cli/sample/sample_source.h"

#include <utility>

#include "trainer_client/modes/wait_line.h"

namespace tributary {

BatchSourceOptions SourceOf(const SampleRequest& request,
                            const std::string& command) {
  BatchSourceOptions source;
  source.worker_options = request.worker_options;
  source.graph = request.graph;
  source.num_workers = request.num_workers;
  source.num_threads = request.threads;
  source.feature_memory = request.feature_memory;
  source.worker = request.worker;
  source.on_wait = PrintWaits(command);
  if (!source.graph.empty()) source.worker.num_rpc_threads = 1;
  return source;
}

absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenSampleSource(
    const SampleRequest& request, const std::string& command,
    TracedObserver on_traced) {
  BatchSourceOptions source = SourceOf(request, command);
  source.on_traced = std::move(on_traced);
  return SamplingWorkers::OpenSource(source);
}

}  // namespace tributary
