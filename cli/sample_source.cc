#include "cli/sample_source.h"

#include <utility>

#include "common/status.h"
#include "trainer_client/modes/options_file.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

BatchSourceOptions SourceOf(const SampleRequest& request) {
  BatchSourceOptions source;
  source.worker_options = request.worker_options;
  source.graph = request.graph;
  source.num_workers = request.num_workers;
  source.num_threads = request.threads;
  source.worker = request.worker;
  if (!source.graph.empty()) source.worker.num_rpc_threads = 1;
  return source;
}

class WorkersSource final : public SampleSource {
 public:
  WorkersSource(std::unique_ptr<SamplingWorkers> workers, bool by_flags)
      : workers_(std::move(workers)), by_flags_(by_flags) {}
  LoaderEnvironment environment() override {
    LoaderEnvironment environment = workers_->environment();
    // The flag, in every mode.
    if (by_flags_) environment.ring_option = "buffer_size";
    return environment;
  }
  const RemoteDistSamplingWorkerOptions& loader() const override {
    return workers_->loader();
  }

 private:
  const std::unique_ptr<SamplingWorkers> workers_;
  const bool by_flags_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SampleSource>> SampleSource::Open(
    const SampleRequest& request) {
  const bool by_flags = request.worker_options.empty();
  ASSIGN_OR_RETURN(const SamplingWorkerOptionsOfAMode options,
                   ReadModeOf(SourceOf(request)));
  ASSIGN_OR_RETURN(auto workers, SamplingWorkers::Open(options));
  return std::make_unique<WorkersSource>(std::move(workers), by_flags);
}

}  // namespace tributary
