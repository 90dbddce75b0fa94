#include "trainer_client/embedded/embedded_server.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/in_process_transport.h"
#include "common/log.h"
#include "common/promised.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

constexpr int kMaxThreads = 1024;
// Tasks look at their cancel token far more often than this.
constexpr absl::Duration kStopTimeout = absl::Seconds(10);

class EmbeddedServerImpl final : public EmbeddedServer {
 public:
  EmbeddedServerImpl(std::shared_ptr<const Graph> graph, int num_threads,
                     uint64_t memory_budget)
      : graph_(std::move(graph)),
        pool_("sampler", num_threads),
        leaf_pool_("leaf", 1),
        rows_(DiskRows::For(*graph_, kDefaultFeatureReaders, nullptr)),
        transport_(std::make_unique<InProcessTransport>(&pool_)) {
    SamplerServiceOptions options;
    options.graph = graph_;
    options.incarnation = 1;  // there is no other that it could be mistaken for
    options.memory_budget = memory_budget;
    options.admission = AdmissionLimits::ForThreads(
        num_threads, /*has_peers=*/false, /*reads_files=*/rows_ != nullptr);
    SamplerServiceEnvironment environment;
    environment.executor = &pool_;
    environment.leaf_executor = &leaf_pool_;
    if (rows_ != nullptr) environment.rows = rows_->queue();
    service_ = std::make_shared<SamplerService>(options, environment);
    transport_->Listen(address_, service_);
  }

  ~EmbeddedServerImpl() override {
    transport_->StopListening(address_);
    CancelAll();
    transport_.reset();
    service_.reset();
  }

  Transport* transport() override { return transport_.get(); }
  const Address& address() const override { return address_; }
  Executor* executor() override { return &pool_; }
  const Graph& graph() const override { return *graph_; }

 private:
  void CancelAll() {
    auto stopped = std::make_shared<Promised<bool>>();
    service_->Drain(pool_.Now(), [stopped] { stopped->Set(true); });
    if (!stopped->Wait(kStopTimeout).has_value()) {
      LogError("the embedded server still makes batches after 10 s");
    }
  }

  const Address address_{"embedded", 1};
  const std::shared_ptr<const Graph> graph_;
  ThreadPool pool_;
  ThreadPool leaf_pool_;
  const std::unique_ptr<DiskRows> rows_;  // null: features are in memory
  std::unique_ptr<InProcessTransport> transport_;
  std::shared_ptr<SamplerService> service_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EmbeddedServer>> EmbeddedServer::Start(
    const EmbeddedServerOptions& options) {
  if (options.num_threads < 0 || options.num_threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_threads is ", options.num_threads, "; 1 to ",
                     kMaxThreads, ", or 0 for one per core"));
  }
  OpenOptions open;
  open.verify = options.verify;
  open.features = options.feature_memory;
  ASSIGN_OR_RETURN(
      auto graph, OpenServingGraph(options.graph, open, options.memory_budget));
  const int cores =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = options.num_threads == 0 ? std::min(cores, kMaxThreads)
                                               : options.num_threads;
  return std::make_unique<EmbeddedServerImpl>(std::move(graph), threads,
                                              options.memory_budget);
}

}  // namespace tributary
