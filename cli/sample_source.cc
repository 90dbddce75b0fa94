#include "cli/sample_source.h"

#include <string>
#include <utility>

#include "common/status.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

SamplingWorkerOptionsOfAMode ModeOf(const SampleRequest& request) {
  if (request.graph.empty()) return request.worker;
  if (request.num_workers == 0) {
    CollocatedDistSamplingWorkerOptions options;
    options.graph = request.graph;
    options.num_threads = request.threads;
    options.num_rpc_threads = 1;
    options.channel_size = request.worker.buffer_size;
    options.rpc_timeout = request.worker.rpc_timeout;
    return options;
  }
  MpDistSamplingWorkerOptions options;
  options.graph = request.graph;
  options.num_workers = request.num_workers;
  options.num_threads = request.threads;
  options.num_rpc_threads = 1;
  options.channel_size = request.worker.buffer_size;
  options.rpc_timeout = request.worker.rpc_timeout;
  return options;
}

class WorkersSource final : public SampleSource {
 public:
  explicit WorkersSource(std::unique_ptr<SamplingWorkers> workers)
      : workers_(std::move(workers)) {}
  LoaderEnvironment environment() override {
    LoaderEnvironment environment = workers_->environment();
    environment.ring_option = "buffer_size";  // the flag, in every mode
    return environment;
  }
  std::string servers() const override { return workers_->loader().servers; }

 private:
  const std::unique_ptr<SamplingWorkers> workers_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SampleSource>> SampleSource::Open(
    const SampleRequest& request) {
  ASSIGN_OR_RETURN(auto workers, SamplingWorkers::Open(ModeOf(request)));
  return std::make_unique<WorkersSource>(std::move(workers));
}

}  // namespace tributary
