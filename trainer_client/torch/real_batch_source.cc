#include "trainer_client/torch/real_batch_source.h"

#include <utility>

#include "common/text/status.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"

namespace tributary {
namespace {

class RealSource final : public BatchSource {
 public:
  explicit RealSource(std::unique_ptr<SamplingWorkers> workers)
      : workers_(std::move(workers)) {}

  absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const SessionOptions& options) override {
    return workers_->OpenLoader(options);
  }
  absl::StatusOr<std::unique_ptr<DistContext>> OpenContext(
      const DistContextOptions& options) override {
    return DistContext::Open(workers_.get(), options);
  }
  absl::Status Shutdown() override {
    return workers_->Shutdown(absl::Seconds(10));
  }

 private:
  const std::unique_ptr<SamplingWorkers> workers_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options) {
  ASSIGN_OR_RETURN(auto workers, SamplingWorkers::OpenSource(options));
  return std::make_unique<RealSource>(std::move(workers));
}

}  // namespace tributary
