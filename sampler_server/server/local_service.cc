#include "sampler_server/server/local_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/runtime/promised.h"

namespace tributary {
namespace {

// Tasks look at their cancel token far more often than this.
constexpr absl::Duration kStopTimeout = absl::Seconds(10);

}  // namespace

LocalService::LocalService(std::shared_ptr<const Graph> graph,
                           const LocalServiceOptions& options)
    : pool_("sampler", options.threads),
      side_pool_(options.protocol_thread ? "protocol" : "leaf", 1),
      rows_(DiskRows::For(*graph, kDefaultFeatureReaders, nullptr)) {
  SamplerServiceOptions service;
  service.incarnation = options.incarnation;
  service.memory_budget = options.memory_budget;
  service.admission =
      AdmissionLimits::ForThreads(options.threads, /*has_peers=*/false);
  SamplerServiceEnvironment environment;
  environment.executor = &pool_;
  environment.leaf_executor = &side_pool_;
  if (options.protocol_thread) environment.protocol_executor = &side_pool_;
  ServedGraph served{std::move(graph)};
  if (rows_ != nullptr) served.rows = rows_->queue();
  service_ =
      std::make_shared<SamplerService>(service, environment, std::move(served));
}

LocalService::~LocalService() { CancelAll(); }

void LocalService::CancelAll() {
  if (std::exchange(cancelled_, true)) return;
  auto stopped = std::make_shared<Promised<bool>>();
  service_->Drain(pool_.Now(), [stopped] { stopped->Set(true); });
  if (!stopped->Wait(kStopTimeout).has_value()) {
    LogError(absl::StrCat("batches are still being made after ",
                          absl::FormatDuration(kStopTimeout)));
  }
}

}  // namespace tributary
