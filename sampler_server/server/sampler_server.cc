#include "sampler_server/server/sampler_server.h"

#include <time.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/http/http_server.h"
#include "channel/http/metrics_server.h"
#include "channel/network.h"
#include "channel/transports/network_choice.h"
#include "common/fleet/discovery.h"
#include "common/io/idle_blocks.h"
#include "common/io/mapping_guard.h"
#include "common/observe/log.h"
#include "common/observe/metrics.h"
#include "common/observe/process_metrics.h"
#include "common/runtime/clock.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/mutex.h"
#include "common/runtime/promised.h"
#include "common/text/status.h"
#include "common/text/version.h"
#include "sampler_server/access/policy_file.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/server/connection_metrics.h"
#include "sampler_server/server/graph_host.h"
#include "sampler_server/server/graph_metrics.h"
#include "sampler_server/server/graph_watcher.h"
#include "sampler_server/server/incarnation.h"
#include "sampler_server/server/memory_bound.h"
#include "sampler_server/server/sampling_threads.h"
#include "sampler_server/server/server_facts_source.h"
#include "sampler_server/server/server_pools.h"
#include "sampler_server/server/status_page.h"
#include "sampler_server/service/load/busy_meter.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

// The longest wait for cancelled batches, and then for calls to peers to end.
// With kShutdownGrace and what the HTTP server allows a request it is within
// the margin that `tributary serve` has beyond --drain-timeout.
constexpr absl::Duration kCancelTimeout = absl::Seconds(4);
constexpr absl::Duration kShutdownGrace = absl::Seconds(1);

// Limit of what waits on one stream to be sent. A stream holds at most a
// quarter of the leaf budget, 32 MiB, or as many pages of mapped input ids as
// calls of a control stream may be unread; batches have a window of their own.
constexpr size_t kMaxQueuedBytes = size_t{64} << 20;

// The budget of peers is apart from that of trainers, so that peers never wait
// for them, and follows it: a quarter, but enough for a request and its reply.
uint64_t LeafBudget(uint64_t memory_budget) {
  return std::clamp(memory_budget / 4, uint64_t{16} << 20, uint64_t{128} << 20);
}

// Returns the text of --partitions.
std::string PartitionsLabel(const SamplerServerOptions& options) {
  return (options.graphs.empty() ? options.partitions
                                 : options.graphs.front().partitions)
      .ToString();
}

GraphHostOptions HostOptions(const SamplerServerOptions& options,
                             uint64_t incarnation) {
  GraphHostOptions host;
  host.verify = options.verify;
  host.features = options.feature_memory;
  host.huge_pages = options.huge_pages;
  host.feature_readers = options.feature_readers;
  host.hot_cache = options.hot_cache;
  host.reserved_bytes =
      options.memory_budget + LeafBudget(options.memory_budget);
  host.tensor_bytes = options.tensor_memory + options.tensor_memory / 4;
  host.incarnation = incarnation;
  host.has_peers = !options.peers.empty();
  return host;
}

absl::Status CheckOptions(const SamplerServerOptions& options) {
  if (options.graphs.empty() == options.graph_file.empty()) {
    return absl::InvalidArgumentError(
        "--graph names folders, or one file: that lists them");
  }
  if (options.memory_budget == 0) {
    return absl::InvalidArgumentError(
        "--memory-budget is 0; batches need room");
  }
  RETURN_IF_ERROR(CheckTlsFiles(options.tls));
  return CheckFeatureReaders(options.feature_readers);
}

// Gives rooms of batches that no new ones take back to the system, once a
// second for as long as `server` lives.
void TrimIdleBlocks(std::weak_ptr<const void> server, Executor* executor) {
  executor->PostAfter(absl::Seconds(1), [server, executor] {
    if (server.expired()) return;
    IdleBlocks::OfProcess().Trim(SteadyClock().Now());
    TrimIdleBlocks(server, executor);
  });
}

class SamplerServerImpl final : public SamplerServer {
 public:
  SamplerServerImpl(const SamplerServerOptions& options, int threads)
      : options_(options),
        threads_(threads),
        incarnation_(NewIncarnation()),
        transport_(MakeNetworkTransport(
            {.carrier = options.transport, .tls = options.tls})),
        pools_(threads),
        graphs_(HostOptions(options, incarnation_), transport_.get(),
                &pools_.batches, &metrics_) {}

  ~SamplerServerImpl() override {
    Drain(absl::ZeroDuration());
    facts_->Clear();
    watcher_.reset();
    health_.reset();
    StopPolicy();
    http_.reset();
    busy_.reset();
    StopDiscovery();
    if (network_ != nullptr) network_->Shutdown(kShutdownGrace);
    network_.reset();
    service_.reset();
    // After it no stream to a peer posts any more: the pools may end.
    transport_->Shutdown();
  }

  absl::Status Start(const std::vector<ListedGraph>& sources);
  Address address() const override { return network_->address(); }
  std::optional<Address> http_address() const override {
    if (http_ == nullptr) return std::nullopt;
    return http_->address();
  }
  std::optional<Address> health_address() const override {
    if (health_ == nullptr) return std::nullopt;
    return health_->address();
  }
  std::vector<GraphState> graphs() const override { return service_->graphs(); }
  void Drain(absl::Duration timeout) override;

 private:
  absl::Status ServeGraphs(const std::vector<ListedGraph>& sources);
  void MakeService();
  absl::Status FollowPolicy();
  void StopPolicy();
  void MeasureBusyTime();
  void GatherFacts();
  void WatchGraphs();
  absl::Status FindPeers();
  absl::Status StartHttp();
  HttpReply PageFor(const Identity& client);
  uint64_t MemoryBoundBytes() const;
  std::string MetricsText();
  void StopDiscovery();

  const SamplerServerOptions options_;
  const int threads_;  // that sample
  const uint64_t incarnation_;
  SamplerServiceOptions service_options_;  // set by MakeService
  Metrics metrics_;
  const std::unique_ptr<NetworkTransport> transport_;
  ServerPools pools_;
  GraphHost graphs_;
  SystemHostResolver resolver_;
  std::shared_ptr<Strand> discovery_strand_;
  std::shared_ptr<Discovery> discovery_;
  std::unique_ptr<SamplerService> service_;
  std::shared_ptr<BusyMeter> busy_;
  // What callbacks of the service's streams and timers keep.
  const std::shared_ptr<ServerFactsSource> facts_ =
      std::make_shared<ServerFactsSource>();
  NetworkServerOptions network_options_;  // set by Start
  std::unique_ptr<NetworkServer> network_;
  std::unique_ptr<MetricsServer> http_;
  std::unique_ptr<MetricsServer> health_;
  std::unique_ptr<GraphWatcher> watcher_;  // null: graphs stay as they are
  std::shared_ptr<Strand> policy_strand_;
  std::shared_ptr<PolicyFile> policy_;  // null: no policy
  bool drained_ = false;
  ConnectionMetrics connection_metrics_{&metrics_};
  ProcessMetrics process_metrics_{&metrics_, kVersion};
  GraphMetrics graph_metrics_{&metrics_};
};

absl::Status SamplerServerImpl::Start(const std::vector<ListedGraph>& sources) {
  RETURN_IF_ERROR(ServeGraphs(sources));
  NetworkServerOptions& network = network_options_;
  network.listen = options_.listen;
  network.insecure = options_.insecure;
  network.tls = options_.tls;
  network.takes_tcp = service_options_.takes_tcp;
  network.max_connections = options_.max_connections;
  network.max_streams = options_.max_streams;
  network.stream_idle_timeout = options_.stream_idle_timeout;
  network.connection.max_queued_bytes = kMaxQueuedBytes;
  ASSIGN_OR_RETURN(network_, StartNetworkServer(network, service_.get()));
  facts_->SetNetwork(network_.get());
  RETURN_IF_ERROR(FindPeers());
  RETURN_IF_ERROR(StartHttp());
  WatchGraphs();
  facts_->SetWatcher(watcher_.get());
  network_->SetServing(true);
  return absl::OkStatus();
}

absl::Status SamplerServerImpl::ServeGraphs(
    const std::vector<ListedGraph>& sources) {
  MakeService();
  RETURN_IF_ERROR(FollowPolicy());
  for (const ListedGraph& source : sources) {
    ASSIGN_OR_RETURN(OpenedGraph opened, graphs_.Open(source));
    RETURN_IF_ERROR(graphs_.Serve(source, std::move(opened), *service_));
  }
  return absl::OkStatus();
}

// The pools outlive the meter and whoever still uses it: tasks on them.
void SamplerServerImpl::MeasureBusyTime() {
  const auto times = [pools = &pools_, admission = service_->admission()] {
    BusyTimes busy = pools->UsedTimes(ProcessCpuTime());
    busy.rate = admission->rate_time();
    return busy;
  };
  busy_ = std::make_shared<BusyMeter>(&pools_.protocol, times);
  busy_->Start();
  service_->SetBusyRatio([busy = busy_] { return busy->Ratio(); });
}

void SamplerServerImpl::MakeService() {
  SamplerServiceOptions& options = service_options_;
  options.incarnation = incarnation_;
  options.takes_tcp = options_.transport != Carrier::kGrpc;
  options.memory_budget = options_.memory_budget;
  options.leaf_budget = LeafBudget(options_.memory_budget);
  options.tensor_memory = options_.tensor_memory;
  options.num_clients = options_.num_clients;
  options.admission = AdmissionLimits::ForThreads(threads_, /*has_peers=*/true);
  options.admission.weights = options_.job_weights;
  options.admission.bytes_per_second = options_.max_rate;
  SamplerServiceEnvironment environment;
  environment.executor = &pools_.batches;
  environment.leaf_executor = &pools_.leaf;
  environment.data_executor = &pools_.data;
  environment.data_threads = pools_.data_threads;
  environment.protocol_executor = &pools_.protocol;
  environment.cpu_clock = ThreadCpuTime;
  environment.metrics = &metrics_;
  environment.all_clients_gone = options_.all_clients_gone;
  service_ = std::make_unique<SamplerService>(options, environment);
  MeasureBusyTime();
  GatherFacts();
  IdleBlocks::OfProcess().SetMostIdleBytes(options_.memory_budget);
  TrimIdleBlocks(facts_, &pools_.protocol);
}

void SamplerServerImpl::GatherFacts() {
  facts_->SetGraphs(&graphs_);
  if (!options_.tls.empty()) {
    facts_->FollowCertificate(options_.tls.cert, &pools_.data);
  }
  service_->SetFacts([facts = facts_] { return facts->Facts(); });
  service_->CountLastMinute();
}

absl::Status SamplerServerImpl::FollowPolicy() {
  if (options_.policy_file.empty()) return absl::OkStatus();
  policy_strand_ = std::make_shared<Strand>(&pools_.data);
  policy_ = std::make_shared<PolicyFile>(options_.policy_file, policy_strand_,
                                         &metrics_);
  facts_->SetPolicy(policy_);
  return policy_->Start([this](std::shared_ptr<const AccessPolicy> policy) {
    service_->SetPolicy(std::move(policy));
  });
}

void SamplerServerImpl::StopPolicy() {
  if (policy_ == nullptr) return;
  auto stopped = std::make_shared<Promised<bool>>();
  policy_strand_->Post([policy = policy_, stopped] {
    policy->Stop();
    stopped->Set(true);
  });
  (void)stopped->Wait(kCancelTimeout);
}

void SamplerServerImpl::WatchGraphs() {
  if (options_.graph_file.empty()) return;
  GraphWatcherOptions options;
  options.path = options_.graph_file;
  options.partitions = options_.partitions;
  options.retire_grace = options_.retire_grace;
  watcher_ = std::make_unique<GraphWatcher>(std::move(options), &graphs_,
                                            service_.get(),
                                            &pools_.batches.clock(), &metrics_);
}

absl::Status SamplerServerImpl::FindPeers() {
  if (options_.peers.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(DiscoverySource source,
                   ParseDiscoverySource(options_.peers));
  discovery_strand_ = std::make_shared<Strand>(&pools_.batches);
  discovery_ = std::make_shared<Discovery>(std::move(source), discovery_strand_,
                                           &resolver_);
  discovery_strand_->Post([this] {
    discovery_->Start([this](const ServerListing& listing) {
      if (!listing.problem.ok()) {
        LogRepeated(LogLevel::kWarning, "peers",
                    absl::StrCat("--peers: ", listing.problem.ToString()));
      }
      graphs_.SetListed(listing.addresses);
    });
  });
  return absl::OkStatus();
}

absl::Status SamplerServerImpl::StartHttp() {
  MetricsServerOptions http;
  http.health = [this] {
    return service_->draining() ? absl::UnavailableError("draining")
                                : absl::OkStatus();
  };
  if (options_.health) {
    http.listen = *options_.health;
    ASSIGN_OR_RETURN(health_, MetricsServer::Start(http));
  }
  if (!options_.http) return absl::OkStatus();
  http.listen = *options_.http;
  http.tls = options_.tls;
  http.metrics = [this] { return MetricsText(); };
  http.page = [this](const Identity& client) { return PageFor(client); };
  ASSIGN_OR_RETURN(http_, MetricsServer::Start(std::move(http)));
  return absl::OkStatus();
}

HttpReply SamplerServerImpl::PageFor(const Identity& client) {
  graphs_.Look();
  std::string address = graphs_.self_address();
  if (address.empty()) address = network_->address().ToString();
  return StatusPageFor(client, address, service_->StatusFor(client),
                       graphs_.Peers(), absl::Now());
}

uint64_t SamplerServerImpl::MemoryBoundBytes() const {
  MemoryBoundInput input;
  input.max_streams = options_.max_streams;
  input.hot_bytes = graphs_.hot_bytes();
  input.graph_bytes = graphs_.copied_bytes();
  input.transport_bytes = network_options_.receive_memory;
  input.stream_bytes = StreamBytes(network_options_);
  for (const GraphState& graph : service_->graphs()) {
    input.partitions = std::max(input.partitions, graph.num_partitions);
  }
  return TotalOf(MemoryBound(service_options_, input));
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
  set("tributary_tensor_memory_bytes", "Limit of --tensor-memory",
      static_cast<double>(service_->tensors().memory().limit()));
  set("tributary_tensor_used_bytes", "Reserved for mutable rows now",
      static_cast<double>(service_->tensors().memory().used()));
  set("tributary_tensor_staging_bytes", "Reserved for open rounds now",
      static_cast<double>(service_->tensors().staging().used()));
  set("tributary_tensor_attempts", "Attempts that are open",
      static_cast<double>(service_->tensors().open_attempts()));
  set("tributary_data_used_bytes", "Reserved for data calls now",
      static_cast<double>(service_->data_budget().used()));
  set("tributary_hot_cache_bytes", "Memory of the rows in the hot cache",
      static_cast<double>(graphs_.hot_bytes()));
  set("tributary_graph_copied_bytes",
      "Memory of the copies of graphs (--huge-pages)",
      static_cast<double>(graphs_.copied_bytes()));
  set("tributary_memory_bound_bytes",
      "The most memory of this process, without mapped files and what the "
      "network library holds",
      static_cast<double>(MemoryBoundBytes()));
  for (const BudgetState& budget : service_->shared_budgets()) {
    const std::map<std::string, std::string> labels = {{"budget", budget.name}};
    metrics_
        .AddGauge("tributary_shared_budget_bytes",
                  "Limit of a budget that streams share by caller", labels)
        .Set(static_cast<double>(budget.limit));
    metrics_
        .AddGauge("tributary_shared_budget_used_bytes",
                  "Used now of a budget that streams share by caller", labels)
        .Set(static_cast<double>(budget.used));
  }
  set("tributary_credits_queued", "Credits that wait for their turn",
      static_cast<double>(service_->queued()));
  set("tributary_batches_active", "Batches queued, being made or sent",
      static_cast<double>(service_->active()));
  set("tributary_peers_healthy", "Peers that answer",
      static_cast<double>(graphs_.healthy_peers()));
  graph_metrics_.Update(service_->graphs());
  connection_metrics_.Update(*network_);
  process_metrics_.Update();
  set("tributary_sessions", "Specifications that are known and planned",
      static_cast<double>(service_->num_sessions()));
  set("tributary_draining", "1 while draining", service_->draining() ? 1 : 0);
  metrics_
      .AddGauge("tributary_busy_ratio",
                "Share of the last minute that the server's threads, or "
                "--max-rate, were in use",
                {{"partitions", PartitionsLabel(options_)}})
      .Set(busy_->Ratio());
  service_->UpdateJobMetrics();
  return metrics_.Exposition();
}

// Discovery and the directories post tasks that use members; none is left when
// this returns.
void SamplerServerImpl::StopDiscovery() {
  auto stopped = std::make_shared<Promised<bool>>();
  const auto stop_directories = [this, stopped] {
    graphs_.Stop([stopped] { stopped->Set(true); });
  };
  if (discovery_ == nullptr) {
    stop_directories();
  } else {
    discovery_strand_->Post([discovery = discovery_, stop_directories] {
      discovery->Stop();
      stop_directories();
    });
  }
  (void)stopped->Wait(kCancelTimeout);
}

void SamplerServerImpl::Drain(absl::Duration timeout) {
  if (std::exchange(drained_, true) || service_ == nullptr) return;
  if (network_ != nullptr) network_->SetServing(false);
  auto drained = std::make_shared<Promised<bool>>();
  service_->Drain(pools_.batches.Now() + timeout,
                  [drained] { drained->Set(true); });
  if (!drained->Wait(timeout + kCancelTimeout).has_value()) {
    LogError("cancelled batches have not ended; leaving them");
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<SamplerServer>> SamplerServer::Start(
    const SamplerServerOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  InstallMappingGuard();
  ASSIGN_OR_RETURN(const int threads,
                   SamplingThreads("--threads", options.threads));
  std::vector<ListedGraph> sources = options.graphs;
  if (!options.graph_file.empty()) {
    ASSIGN_OR_RETURN(sources,
                     ReadGraphFile(options.graph_file, options.partitions));
  }
  auto server = std::make_unique<SamplerServerImpl>(options, threads);
  RETURN_IF_ERROR(server->Start(sources));
  return server;
}

}  // namespace tributary
