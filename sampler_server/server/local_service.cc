#include "sampler_server/server/local_service.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/runtime/promised.h"
#include "common/text/status.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/server/incarnation.h"
#include "sampler_server/server/sampling_threads.h"

namespace tributary {
namespace {

// Tasks check their cancel token far more often than this.
constexpr absl::Duration kStopTimeout = absl::Seconds(10);

}  // namespace

absl::StatusOr<std::unique_ptr<LocalService>> LocalService::Start(
    const LocalServiceOptions& options) {
  ASSIGN_OR_RETURN(const int threads,
                   SamplingThreads("num_threads", options.num_threads));
  OpenOptions open;
  open.verify = options.verify;
  open.features = options.feature_memory;
  ASSIGN_OR_RETURN(auto graph,
                   OpenServingGraph(options.graph, open,
                                    {.batches = options.memory_budget}));
  return std::unique_ptr<LocalService>(
      new LocalService(std::move(graph), threads, options));
}

LocalService::Pools::Pools(int num_threads, bool protocol_thread)
    : batches("sampler", num_threads),
      data("data", std::max(1, num_threads / 4)),
      side(protocol_thread ? "protocol" : "leaf", 1) {}

LocalService::LocalService(std::shared_ptr<const Graph> graph, int num_threads,
                           const LocalServiceOptions& options)
    : graph_(std::move(graph)),
      pools_(num_threads, options.protocol_thread),
      rows_(DiskRows::For(*graph_, kDefaultFeatureReaders, nullptr)) {
  SamplerServiceOptions service;
  service.incarnation = NewIncarnation();
  service.memory_budget = options.memory_budget;
  service.tensor_memory = options.tensor_memory;
  service.admission =
      AdmissionLimits::ForThreads(num_threads, /*has_peers=*/false);
  SamplerServiceEnvironment environment;
  environment.executor = &pools_.batches;
  environment.leaf_executor = &pools_.side;
  environment.data_executor = &pools_.data;
  if (options.protocol_thread) environment.protocol_executor = &pools_.side;
  ServedGraph served{graph_};
  if (rows_ != nullptr) served.rows = rows_->queue();
  service_ =
      std::make_shared<SamplerService>(service, environment, std::move(served));
}

LocalService::~LocalService() { CancelAll(); }

void LocalService::CancelAll() {
  if (std::exchange(cancelled_, true)) return;
  auto stopped = std::make_shared<Promised<bool>>();
  service_->Drain(pools_.batches.Now(), [stopped] { stopped->Set(true); });
  if (!stopped->Wait(kStopTimeout).has_value()) {
    LogError(absl::StrCat("batches are still being made after ",
                          absl::FormatDuration(kStopTimeout)));
  }
}

}  // namespace tributary
