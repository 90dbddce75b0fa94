#include "cli/sample_source.h"

#include <string>
#include <utility>

#include "common/status.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

BatchSourceOptions SourceOf(const SampleRequest& request) {
  BatchSourceOptions source;
  source.graph = request.graph;
  source.num_workers = request.num_workers;
  source.num_threads = request.threads;
  source.worker = request.worker;
  if (!source.graph.empty()) source.worker.num_rpc_threads = 1;
  return source;
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
  ASSIGN_OR_RETURN(auto workers,
                   SamplingWorkers::Open(ModeOf(SourceOf(request))));
  return std::make_unique<WorkersSource>(std::move(workers));
}

}  // namespace tributary
