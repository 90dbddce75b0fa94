#include "sampler_server/server/sampling_worker.h"

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/shm/shm_server.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/server/local_service.h"

namespace tributary {
namespace {

LocalServiceOptions ServiceOptions(const SamplingWorkerOptions& options) {
  std::random_device random;
  LocalServiceOptions service;
  service.threads = options.threads;
  service.memory_budget = options.memory_budget;
  service.incarnation = uint64_t{random()} << 32 | random();
  service.protocol_thread = true;
  return service;
}

class SamplingWorkerImpl final : public SamplingWorker {
 public:
  SamplingWorkerImpl(const SamplingWorkerOptions& options,
                     std::shared_ptr<const Graph> graph)
      : local_(std::move(graph), ServiceOptions(options)) {}

  ~SamplingWorkerImpl() override { local_.CancelAll(); }

  absl::Status Listen(UniqueFd door, const std::string& name,
                      std::function<void()> trainer_gone) {
    ShmServerOptions options;
    options.name = name;
    options.trainer_gone = std::move(trainer_gone);
    ASSIGN_OR_RETURN(server_, ShmServer::Start(local_.service().get(),
                                               std::move(door), options));
    return absl::OkStatus();
  }

 private:
  LocalService local_;
  std::unique_ptr<ShmServer> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SamplingWorker>> SamplingWorker::Start(
    const SamplingWorkerOptions& options, UniqueFd door,
    std::function<void()> trainer_gone) {
  if (options.threads < 1 || options.threads > kMaxSamplingThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads is ", options.threads, "; allowed: 1 to ",
                     kMaxSamplingThreads));
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
