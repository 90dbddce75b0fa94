#include "trainer_client/torch/real_batch_source.h"

#include <utility>

#include "common/status.h"
#include "trainer_client/modes/options_file.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

class RealSource final : public BatchSource {
 public:
  RealSource(std::unique_ptr<SamplingWorkers> workers, bool by_flags)
      : workers_(std::move(workers)), by_flags_(by_flags) {}

  absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Open(
      const NeighborLoaderOptions& options) override {
    LoaderEnvironment environment = workers_->environment();
    // The flag, in every mode.
    if (by_flags_) environment.ring_option = "buffer_size";
    return DistNeighborLoader::Create(options, workers_->loader(), environment);
  }

 private:
  const std::unique_ptr<SamplingWorkers> workers_;
  const bool by_flags_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options) {
  ASSIGN_OR_RETURN(const SamplingWorkerOptionsOfAMode mode,
                   ReadModeOf(options));
  ASSIGN_OR_RETURN(auto workers, SamplingWorkers::Open(mode));
  return std::make_unique<RealSource>(std::move(workers),
                                      options.worker_options.empty());
}

}  // namespace tributary
