#include "trainer_client/torch/real_batch_source.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/sha256.h"
#include "common/status.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

class RealSource final : public BatchSource {
 public:
  explicit RealSource(std::unique_ptr<SamplingWorkers> workers)
      : workers_(std::move(workers)) {}

  absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Open(
      const NeighborLoaderOptions& options) override {
    RemoteDistSamplingWorkerOptions worker = workers_->loader();
    if (!graph_.empty()) worker.graph_name = graph_;
    ASSIGN_OR_RETURN(
        auto loader,
        DistNeighborLoader::Create(options, worker, workers_->environment()));
    const GraphSchema& schema = loader->schema();
    graph_ = absl::StrCat(schema.name, "@", ToHex(schema.content_digest));
    return loader;
  }
  absl::Status Shutdown() override {
    return workers_->Shutdown(absl::Seconds(10));
  }

 private:
  const std::unique_ptr<SamplingWorkers> workers_;
  std::string graph_;  // of the first loader: all others are on it
};

}  // namespace

absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options) {
  ASSIGN_OR_RETURN(auto workers, SamplingWorkers::OpenSource(options));
  return std::make_unique<RealSource>(std::move(workers));
}

}  // namespace tributary
