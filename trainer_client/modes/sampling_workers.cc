#include "trainer_client/modes/sampling_workers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/network.h"
#include "channel/shm/shm_transport.h"
#include "channel/slot_ring.h"
#include "channel/transports/network_choice.h"
#include "common/hash/sha256.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/thread_pool.h"
#include "common/text/status.h"
#include "common/trace/otlp.h"
#include "trainer_client/core/certificate_job.h"
#include "trainer_client/core/fleet/fleet_calls.h"
#include "trainer_client/embedded/embedded_server.h"
#include "trainer_client/modes/options_file.h"
#include "trainer_client/modes/worker_fleet.h"
#include "trainer_client/modes/worker_process.h"
#include "trainer_client/modes/worker_watch.h"

namespace tributary {
namespace {

class Remote final : public SamplingWorkers {
 public:
  explicit Remote(const RemoteDistSamplingWorkerOptions& options)
      : SamplingWorkers(options, "buffer_size"),
        // Options that are wrong are refused before.
        transport_(MakeNetworkTransport(
            {.carrier =
                 ParseCarrier(options.transport).value_or(Carrier::kAuto),
             .tls = options.tls})),
        executor_("loader", options.num_rpc_threads) {}
  // The transport's handlers post to the executor, whose tasks use the
  // transport: so the transport is stopped before either is destroyed.
  ~Remote() override { transport_->Shutdown(); }

  LoaderEnvironment ModeEnvironment() override {
    return EnvironmentOn(&executor_, transport_.get());
  }
  bool local() const override { return false; }
  absl::Status Shutdown(absl::Duration timeout) override {
    ASSIGN_OR_RETURN(DiscoverySource source, loader_.Source());
    const absl::Time deadline = executor_.Now() + timeout;
    ASSIGN_OR_RETURN(const std::vector<Address> servers,
                     ListServers(std::move(source), timeout, executor_));
    v1::FarewellRequest farewell;
    farewell.set_job(loader_.worker_key);
    farewell.set_client_rank(static_cast<uint32_t>(loader_.client_rank));
    farewell.set_num_clients(
        static_cast<uint32_t>(std::max(loader_.num_clients, 1)));
    FleetCalls calls(servers, transport_.get(), &executor_);
    std::vector<size_t> all(servers.size());
    std::iota(all.begin(), all.end(), size_t{0});
    absl::Status status;
    for (const FleetReply& reply : calls.Call(
             all, {MessageKind::kFarewellRequest, farewell.SerializeAsString()},
             deadline)) {
      const absl::Status one = reply.reply.status();
      if (one.ok()) continue;
      status.Update(absl::Status(
          one.code(),
          absl::StrCat("farewell to ", servers[reply.server].ToString(), ": ",
                       one.message())));
    }
    return status;
  }

 private:
  const std::unique_ptr<NetworkTransport> transport_;
  ThreadPool executor_;
};

class Collocated final : public SamplingWorkers {
 public:
  Collocated(RemoteDistSamplingWorkerOptions loader,
             std::unique_ptr<EmbeddedServer> server)
      : SamplingWorkers(std::move(loader), "channel_size"),
        executor_("loader", loader_.num_rpc_threads),
        server_(std::move(server)) {
    loader_.servers = server_->address().ToString();
  }
  // The loader's tasks use the server, whose threads post to the loader's: so
  // these end before the server, and the executor is destroyed after it.
  ~Collocated() override { executor_.End(); }

  LoaderEnvironment ModeEnvironment() override {
    return EnvironmentOn(&executor_, server_->transport());
  }

 private:
  ThreadPool executor_;
  const std::unique_ptr<EmbeddedServer> server_;
};

class Mp final : public SamplingWorkers {
 public:
  Mp(const MpDistSamplingWorkerOptions& options,
     std::unique_ptr<ShmTransport> transport)
      : SamplingWorkers(LoaderOptionsOf(options), "channel_size"),
        memory_{options.huge_pages, options.numa_node},
        executor_("loader", loader_.num_rpc_threads),
        transport_(std::move(transport)) {}
  // As Collocated, with the transport's thread.
  ~Mp() override {
    executor_.End();
    watch_ = nullptr;
  }

  absl::Status Start(const MpDistSamplingWorkerOptions& options) {
    WorkerFleetOptions fleet;
    ASSIGN_OR_RETURN(fleet.program, FindWorkerProgram(options.worker_program));
    fleet.num_workers = options.num_workers;
    fleet.arguments = {
        "--graph",          options.graph,
        "--threads",        absl::StrCat(options.num_threads),
        "--feature-memory", std::string(NameOf(options.feature_memory)),
        "--memory-budget",  absl::StrCat(MemoryBudgetFor(loader_.buffer_size))};
    ASSIGN_OR_RETURN(fleet_, WorkerFleet::Start(fleet, transport_.get()));
    loader_.servers = absl::StrJoin(
        fleet_->addresses(), ",", [](std::string* out, const Address& address) {
          absl::StrAppend(out, address.ToString());
        });
    Watch();
    return absl::OkStatus();
  }

  LoaderEnvironment ModeEnvironment() override {
    return {.executor = &executor_,
            .transport = transport_.get(),
            .make_ring = [this](uint64_t bytes) { return MakeRing(bytes); }};
  }
  std::vector<pid_t> pids() const override { return fleet_->stats().pids; }

 private:
  void Watch() {
    WorkerWatchOptions options;
    options.transport = transport_.get();
    options.strand = std::make_shared<Strand>(&executor_);
    options.workers = fleet_->addresses();
    options.serves = [this](const Address& worker) {
      return fleet_->Serves(worker);
    };
    options.on_hung = [this](const Address& worker) {
      fleet_->KillHung(worker);
    };
    watch_ = std::make_shared<WorkerWatch>(options);
    options.strand->Post([watch = watch_] { watch->Start(); });
  }

  absl::StatusOr<std::shared_ptr<SlotRing>> MakeRing(uint64_t bytes) {
    ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> memory,
                     SharedMemory::Create(bytes, memory_));
    ASSIGN_OR_RETURN(std::shared_ptr<SlotRing> ring,
                     rings_.Over(memory->bytes(), memory, ring_option_));
    transport_->AddMemory(std::move(memory));
    return ring;
  }

  const SharedMemoryOptions memory_;
  ThreadPool executor_;
  const std::unique_ptr<ShmTransport> transport_;
  std::unique_ptr<WorkerFleet> fleet_;
  std::shared_ptr<WorkerWatch> watch_;
};

struct Opener {
  using Result = absl::StatusOr<std::unique_ptr<SamplingWorkers>>;

  Result operator()(const RemoteDistSamplingWorkerOptions& options) const {
    RemoteDistSamplingWorkerOptions of_job = options;
    ASSIGN_OR_RETURN(of_job.worker_key, JobOf(options));
    auto workers = std::make_unique<Remote>(of_job);
    RETURN_IF_ERROR(CheckRoomForNetwork());
    return workers;
  }
  Result operator()(const CollocatedDistSamplingWorkerOptions& options) const {
    EmbeddedServerOptions server;
    server.graph = options.graph;
    server.num_threads = options.num_threads;
    server.memory_budget = MemoryBudgetFor(options.channel_size);
    server.feature_memory = options.feature_memory;
    ASSIGN_OR_RETURN(auto started, EmbeddedServer::Start(server));
    return std::make_unique<Collocated>(LoaderOptionsOf(options),
                                        std::move(started));
  }
  Result operator()(const MpDistSamplingWorkerOptions& options) const {
    ASSIGN_OR_RETURN(auto transport, ShmTransport::Create());
    auto workers = std::make_unique<Mp>(options, std::move(transport));
    RETURN_IF_ERROR(workers->Start(options));
    return workers;
  }
};

}  // namespace

uint64_t MemoryBudgetFor(uint64_t ring_bytes) {
  return std::max(uint64_t{1} << 30, 2 * AlignUp(ring_bytes, SlotRing::kUnit));
}

LoaderEnvironment SamplingWorkers::environment() {
  LoaderEnvironment environment = ModeEnvironment();
  environment.ring_option = ring_option_;
  environment.on_wait = on_wait_;
  environment.on_traced = Traced();
  environment.opened = [this](const GraphSchema& schema) {
    MutexLock lock(mutex_);
    if (!opened_graph_.empty()) return;
    opened_graph_ = absl::StrCat("@", ToHex(schema.content_digest));
  };
  return environment;
}

TracedObserver SamplingWorkers::Traced() const {
  if (trace_file_ == nullptr) return on_traced_;
  return [file = trace_file_, shown = on_traced_](const BatchTimeline& batch) {
    file->Append(OtlpLine(batch));
    if (shown) shown(batch);
  };
}

RemoteDistSamplingWorkerOptions SamplingWorkers::loader() const {
  RemoteDistSamplingWorkerOptions loader = loader_;
  MutexLock lock(mutex_);
  if (!opened_graph_.empty()) loader.graph_name = opened_graph_;
  return loader;
}

LoaderEnvironment SamplingWorkers::EnvironmentOn(Executor* executor,
                                                 Transport* transport) {
  LoaderEnvironment environment{.executor = executor, .transport = transport};
  if (loader_.pin_memory) {
    environment.make_ring = [this](uint64_t bytes) {
      return rings_.Make(bytes, ring_option_);
    };
  }
  return environment;
}

absl::StatusOr<std::unique_ptr<SamplingWorkers>> SamplingWorkers::Open(
    const SamplingWorkerOptionsOfAMode& options) {
  RETURN_IF_ERROR(Validate(options));
  const std::string path = LoaderOptionsOf(options).trace_file;
  std::shared_ptr<TraceFile> trace_file;
  if (!path.empty()) {
    auto opened = TraceFile::Open(path);
    if (!opened.ok()) {
      return absl::Status(
          opened.status().code(),
          absl::StrCat("trace_file: ", opened.status().message()));
    }
    trace_file = *std::move(opened);
  }
  ASSIGN_OR_RETURN(auto workers, std::visit(Opener(), options));
  workers->trace_file_ = std::move(trace_file);
  return workers;
}

absl::StatusOr<std::unique_ptr<SamplingWorkers>> SamplingWorkers::OpenSource(
    const BatchSourceOptions& source) {
  if (!source.worker_options.empty()) {
    ASSIGN_OR_RETURN(SamplingWorkerOptionsOfAMode options,
                     ReadWorkerOptions(source.worker_options));
    auto* remote = std::get_if<RemoteDistSamplingWorkerOptions>(&options);
    if (remote != nullptr && remote->num_clients == 0) {
      remote->num_clients = source.worker.num_clients;
      remote->client_rank = source.worker.client_rank;
    }
    std::visit(
        [&source](auto& any) {
          if (any.trace_file.empty()) any.trace_file = source.worker.trace_file;
        },
        options);
    if (remote != nullptr && remote->tls.empty()) {
      remote->tls = source.worker.tls;
    }
    ASSIGN_OR_RETURN(auto workers, Open(options));
    workers->on_wait_ = source.on_wait;
    workers->on_traced_ = source.on_traced;
    return workers;
  }
  ASSIGN_OR_RETURN(auto workers, Open(ModeOf(source)));
  workers->ring_option_ = "buffer_size";
  workers->on_wait_ = source.on_wait;
  workers->on_traced_ = source.on_traced;
  return workers;
}

absl::StatusOr<std::unique_ptr<SamplingWorkers>> SamplingWorkers::OpenText(
    absl::string_view options, WaitObserver on_wait) {
  ASSIGN_OR_RETURN(const SamplingWorkerOptionsOfAMode parsed,
                   ParseWorkerOptions(options));
  ASSIGN_OR_RETURN(auto workers, Open(parsed));
  workers->on_wait_ = std::move(on_wait);
  return workers;
}

absl::StatusOr<std::unique_ptr<DistLoader>> SamplingWorkers::OpenLoader(
    const SessionOptions& session) {
  return DistLoader::Create(session, loader(), environment());
}

absl::StatusOr<std::unique_ptr<DistLoader>> SamplingWorkers::OpenLoader(
    const SessionText& session, uint32_t rank, uint32_t world) {
  auto described = ReadSession(session);
  if (!described.ok()) return InJsonWords(described.status());
  RETURN_IF_ERROR(ReadListFiles(&*described));
  described->options.rank = rank;
  described->options.world = world;
  return OpenLoader(described->options);
}

}  // namespace tributary
