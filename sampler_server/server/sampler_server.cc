#include "sampler_server/server/sampler_server.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "common/cpu_meter.h"
#include "common/fleet/discovery.h"
#include "common/log.h"
#include "common/metrics.h"
#include "common/promised.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "partition/format/graph.h"
#include "sampler_server/http/metrics_server.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/peers/peer_partitions.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

constexpr int kMaxThreads = 1024;
// Beyond a drain's own timeout: cancelled tasks end long before.
constexpr absl::Duration kCancelTimeout = absl::Seconds(10);
constexpr absl::Duration kShutdownGrace = absl::Seconds(1);

uint64_t NewIncarnation() {
  std::random_device random;
  return (static_cast<uint64_t>(random()) << 32) | random();
}

// Peers never wait for trainers, and what they take follows what trainers may:
// a quarter, but enough for a request and its reply, whatever their size.
uint64_t LeafBudget(uint64_t memory_budget) {
  return std::clamp(memory_budget / 4, uint64_t{16} << 20, uint64_t{128} << 20);
}

int NumThreads(int wanted) {
  if (wanted > 0) return wanted;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, kMaxThreads);
}

absl::Status CheckOptions(const SamplerServerOptions& options) {
  if (options.threads < 0 || options.threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads is ", options.threads, "; 1 to ", kMaxThreads,
                     ", or 0 for one per core"));
  }
  if (options.memory_budget == 0) {
    return absl::InvalidArgumentError(
        "--memory-budget is 0; batches need room");
  }
  RETURN_IF_ERROR(CheckFeatureReaders(options.feature_readers));
  if (options.http && !options.insecure && !IsLoopback(options.http->host)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--http ", options.http->ToString(),
                     " is beyond loopback and not encrypted; allow it with "
                     "--insecure"));
  }
  return absl::OkStatus();
}

// Describe sends the schema within one message's header, and peers' states
// beside it.
absl::Status CheckDescribable(const Graph& graph) {
  constexpr size_t kMost = kMaxHeaderBytes / 2;
  const size_t bytes = graph.schema_json().size();
  if (bytes <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "graph.json has ", bytes, " bytes without its files; allowed to serve: ",
      kMost, "; partition the graph into fewer parts than ",
      graph.schema().num_partitions));
}

class SamplerServerImpl final : public SamplerServer {
 public:
  SamplerServerImpl(const SamplerServerOptions& options,
                    std::shared_ptr<const Graph> graph)
      : options_(options),
        graph_(std::move(graph)),
        incarnation_(NewIncarnation()),
        pool_("sampler", NumThreads(options.threads)),
        leaf_pool_("leaf", std::max(1, NumThreads(options.threads) / 4)),
        rows_(DiskRows::For(*graph_, options.feature_readers, &metrics_)) {}

  ~SamplerServerImpl() override {
    Drain(absl::ZeroDuration());
    http_.reset();
    StopLooking();
    if (grpc_ != nullptr) grpc_->Shutdown(kShutdownGrace);
    grpc_.reset();
    service_.reset();
    // After it no stream to a peer posts any more: the pools may end.
    transport_.Shutdown();
  }

  absl::Status Start();
  Address address() const override { return grpc_->address(); }
  std::optional<Address> http_address() const override {
    if (http_ == nullptr) return std::nullopt;
    return http_->address();
  }
  const std::vector<uint32_t>& partitions() const override {
    return graph_->partitions();
  }
  void Drain(absl::Duration timeout) override;

 private:
  void MakeService();
  absl::Status FindPeers();
  absl::Status StartHttp();
  std::string MetricsText();
  void StopLooking();

  const SamplerServerOptions options_;
  const std::shared_ptr<const Graph> graph_;
  const uint64_t incarnation_;
  Metrics metrics_;
  GrpcTransport transport_;
  ThreadPool pool_;
  ThreadPool leaf_pool_;
  // Credits, cancels and progress, so that long kernels never make a busy
  // server look dead.
  ThreadPool protocol_pool_{"protocol", 2};
  // Null: features are in memory. Its reads end before the executors do, where
  // what waits for them goes on.
  const std::unique_ptr<DiskRows> rows_;
  SystemHostResolver resolver_;
  std::shared_ptr<PeerDirectory> directory_;
  std::unique_ptr<PeerPartitions> remote_;
  std::shared_ptr<Strand> discovery_strand_;
  std::shared_ptr<Discovery> discovery_;
  std::unique_ptr<SamplerService> service_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<MetricsServer> http_;
  bool drained_ = false;
};

absl::Status SamplerServerImpl::Start() {
  PeerDirectoryOptions directory;
  directory.schema = graph_->schema();
  directory.own_incarnation = incarnation_;
  directory_ = std::make_shared<PeerDirectory>(std::move(directory),
                                               &transport_, &pool_);
  remote_ = std::make_unique<PeerPartitions>(graph_->schema(), directory_);
  MakeService();
  GrpcServerOptions grpc;
  grpc.listen = options_.listen;
  grpc.insecure = options_.insecure;
  ASSIGN_OR_RETURN(grpc_, GrpcServer::Start(std::move(grpc), service_.get()));
  RETURN_IF_ERROR(FindPeers());
  RETURN_IF_ERROR(StartHttp());
  grpc_->SetServing(true);
  return absl::OkStatus();
}

void SamplerServerImpl::MakeService() {
  SamplerServiceOptions options;
  options.graph = graph_;
  options.incarnation = incarnation_;
  options.memory_budget = options_.memory_budget;
  options.leaf_budget = LeafBudget(options_.memory_budget);
  options.num_clients = options_.num_clients;
  options.admission = AdmissionLimits::ForThreads(
      NumThreads(options_.threads), /*has_peers=*/true,
      /*reads_files=*/rows_ != nullptr);
  options.admission.weights = options_.job_weights;
  options.admission.bytes_per_second = options_.max_rate;
  SamplerServiceEnvironment environment;
  environment.executor = &pool_;
  environment.leaf_executor = &leaf_pool_;
  environment.protocol_executor = &protocol_pool_;
  environment.cpu_clock = ThreadCpuTime;
  const bool has_all =
      graph_->partitions().size() == graph_->schema().num_partitions;
  environment.remote = has_all ? nullptr : remote_.get();
  if (rows_ != nullptr) environment.rows = rows_->queue();
  environment.peers = [directory = directory_] { return directory->States(); };
  environment.metrics = &metrics_;
  environment.all_clients_gone = options_.all_clients_gone;
  service_ = std::make_unique<SamplerService>(options, environment);
}

absl::Status SamplerServerImpl::FindPeers() {
  if (options_.peers.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(DiscoverySource source,
                   ParseDiscoverySource(options_.peers));
  discovery_strand_ = std::make_shared<Strand>(&pool_);
  discovery_ = std::make_shared<Discovery>(std::move(source), discovery_strand_,
                                           &resolver_);
  discovery_strand_->Post([d = discovery_, directory = directory_] {
    d->Start([directory](const ServerListing& listing) {
      if (!listing.problem.ok()) {
        LogRepeated(LogLevel::kWarning, "peers",
                    absl::StrCat("--peers: ", listing.problem.ToString()));
      }
      directory->SetListed(listing.addresses);
    });
  });
  return absl::OkStatus();
}

absl::Status SamplerServerImpl::StartHttp() {
  if (!options_.http) return absl::OkStatus();
  MetricsServerOptions http;
  http.listen = *options_.http;
  http.metrics = [this] { return MetricsText(); };
  http.health = [this] {
    return service_->draining() ? absl::UnavailableError("draining")
                                : absl::OkStatus();
  };
  ASSIGN_OR_RETURN(http_, MetricsServer::Start(std::move(http)));
  return absl::OkStatus();
}

std::string SamplerServerImpl::MetricsText() {
  const auto set = [this](const std::string& name, const std::string& help,
                          double value) {
    metrics_.AddGauge(name, help).Set(value);
  };
  set("tributary_memory_budget_bytes", "Limit of --memory-budget",
      static_cast<double>(service_->budget().limit()));
  set("tributary_memory_used_bytes", "Reserved for batches now",
      static_cast<double>(service_->budget().used()));
  set("tributary_leaf_budget_bytes", "Limit for peers' requests",
      static_cast<double>(service_->leaf_budget().limit()));
  set("tributary_leaf_used_bytes", "Reserved for peers' requests now",
      static_cast<double>(service_->leaf_budget().used()));
  set("tributary_credits_queued", "Credits that wait for their turn",
      static_cast<double>(service_->queued()));
  set("tributary_batches_active", "Batches queued, being made or sent",
      static_cast<double>(service_->active()));
  double healthy = 0;
  for (const v1::PeerState& peer : directory_->States()) {
    healthy += peer.healthy() ? 1 : 0;
  }
  set("tributary_peers_healthy", "Peers that answer", healthy);
  set("tributary_draining", "1 while draining", service_->draining() ? 1 : 0);
  service_->ShowJobs();
  return metrics_.Exposition();
}

// What they post may use what is destroyed after this.
void SamplerServerImpl::StopLooking() {
  auto stopped = std::make_shared<Promised<bool>>();
  const auto stop_directory = [stopped, directory = directory_] {
    directory->Stop([stopped] { stopped->Set(true); });
  };
  if (discovery_ == nullptr) {
    stop_directory();
  } else {
    discovery_strand_->Post([discovery = discovery_, stop_directory] {
      discovery->Stop();
      stop_directory();
    });
  }
  (void)stopped->Wait(kCancelTimeout);
}

void SamplerServerImpl::Drain(absl::Duration timeout) {
  if (std::exchange(drained_, true) || service_ == nullptr) return;
  if (grpc_ != nullptr) grpc_->SetServing(false);
  auto drained = std::make_shared<Promised<bool>>();
  service_->Drain(pool_.Now() + timeout, [drained] { drained->Set(true); });
  if (!drained->Wait(timeout + kCancelTimeout).has_value()) {
    LogError("cancelled batches have not ended; leaving them");
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<SamplerServer>> SamplerServer::Start(
    const SamplerServerOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(auto graph,
                   OpenServingGraph(options.graph,
                                    {.partitions = options.partitions,
                                     .verify = options.verify,
                                     .features = options.feature_memory},
                                    options.memory_budget +
                                        LeafBudget(options.memory_budget)));
  RETURN_IF_ERROR(CheckDescribable(*graph));
  auto server = std::make_unique<SamplerServerImpl>(options, std::move(graph));
  RETURN_IF_ERROR(server->Start());
  return server;
}

}  // namespace tributary
