#include "cli/sample/sample_source.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenSampleSource(
    const SampleRequest& request) {
  BatchSourceOptions source;
  source.worker_options = request.worker_options;
  source.graph = request.graph;
  source.num_workers = request.num_workers;
  source.num_threads = request.threads;
  source.feature_memory = request.feature_memory;
  source.worker = request.worker;
  if (!source.graph.empty()) source.worker.num_rpc_threads = 1;
  return SamplingWorkers::OpenSource(source);
}

}  // namespace tributary
