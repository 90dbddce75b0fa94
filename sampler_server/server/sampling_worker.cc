#include "sampler_server/server/sampling_worker.h"

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/shm/shm_server.h"
#include "common/log.h"
#include "common/promised.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "partition/format/graph.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

constexpr int kMaxThreads = 1024;
// Tasks look at their cancel token far more often than this.
constexpr absl::Duration kStopTimeout = absl::Seconds(10);

class SamplingWorkerImpl final : public SamplingWorker {
 public:
  SamplingWorkerImpl(const SamplingWorkerOptions& options,
                     std::shared_ptr<const Graph> graph)
      : pool_("sampler", options.threads),
        rows_(DiskRows::For(*graph, kDefaultFeatureReaders, nullptr)) {
    SamplerServiceOptions service;
    service.graph = std::move(graph);
    std::random_device random;
    service.incarnation = uint64_t{random()} << 32 | random();
    service.memory_budget = options.memory_budget;
    service.admission = AdmissionLimits::ForThreads(
        options.threads, /*has_peers=*/false, /*reads_files=*/rows_ != nullptr);
    SamplerServiceEnvironment environment;
    environment.executor = &pool_;
    environment.leaf_executor = &protocol_pool_;
    environment.protocol_executor = &protocol_pool_;
    if (rows_ != nullptr) environment.rows = rows_->queue();
    service_ = std::make_shared<SamplerService>(service, environment);
  }

  ~SamplingWorkerImpl() override {
    auto stopped = std::make_shared<Promised<bool>>();
    service_->Drain(pool_.Now(), [stopped] { stopped->Set(true); });
    if (!stopped->Wait(kStopTimeout).has_value()) {
      LogError("the worker still makes batches after 10 s");
    }
    server_.reset();
    service_.reset();
  }

  absl::Status Listen(UniqueFd door, const std::string& name,
                      std::function<void()> trainer_gone) {
    ShmServerOptions options;
    options.name = name;
    options.trainer_gone = std::move(trainer_gone);
    ASSIGN_OR_RETURN(
        server_, ShmServer::Start(service_.get(), std::move(door), options));
    return absl::OkStatus();
  }

 private:
  ThreadPool pool_;
  // Credits, cancels and progress, so that long kernels never make a busy
  // worker look dead.
  ThreadPool protocol_pool_{"protocol", 1};
  // Null: features are in memory. Its reads end before the executors do, where
  // what waits for them goes on.
  const std::unique_ptr<DiskRows> rows_;
  std::shared_ptr<SamplerService> service_;
  std::unique_ptr<ShmServer> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SamplingWorker>> SamplingWorker::Start(
    const SamplingWorkerOptions& options, UniqueFd door,
    std::function<void()> trainer_gone) {
  if (options.threads < 1 || options.threads > kMaxThreads) {
    return absl::InvalidArgumentError(absl::StrCat(
        "threads is ", options.threads, "; allowed: 1 to ", kMaxThreads));
  }
  ASSIGN_OR_RETURN(
      auto graph,
      OpenServingGraph(options.graph, {.features = options.feature_memory},
                       options.memory_budget));
  auto worker = std::make_unique<SamplingWorkerImpl>(options, std::move(graph));
  RETURN_IF_ERROR(
      worker->Listen(std::move(door), options.name, std::move(trainer_gone)));
  return worker;
}

}  // namespace tributary
