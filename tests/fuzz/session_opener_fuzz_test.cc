// Fuzzes a loader that opens a session with the replies of a server: opening
// ends in time, with an error or with a session that is valid for the described
// graph, and batches arrive as requested. An input changes the server's
// messages one after another (lying_acceptor.h). If it begins with H, two
// honest servers are beside that one, and the session opens with all inputs and
// all batches.
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/service/sampler_service.h"
#include "tests/fuzz/lying_acceptor.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/service_world.h"
#include "trainer_client/core/loader_core.h"
#include "trainer_client/core/session/session_opener.h"

namespace tributary {
namespace {

constexpr uint64_t kMostEvents = 2000000;
constexpr absl::Duration kRpcTimeout = absl::Seconds(5);

SessionOptions LoaderOptions() {
  SessionOptions options;
  options.kind = NeighborOptions{.num_neighbors = {2, -1}};
  options.input_split = "train";
  options.batch_size = 2;
  return options;
}

class World {
 public:
  explicit World(Script script) : script_(script) {
    beside_ = script_.TakeIf('H');
    services_.push_back(Service(1, server_));
    liar_ = std::make_unique<LyingAcceptor>(services_[0].get(), &script_);
    network_.Listen(server_, {"server", 1}, liar_.get());

    ServerFleetOptions fleet;
    fleet.source.addresses = {{"server", 1}};
    for (const char* host : {"honest1", "honest2"}) {
      if (!beside_) break;
      SimExecutor* node = world_.AddNode(host);
      services_.push_back(Service(1 + services_.size(), node));
      network_.Listen(node, {host, 1}, services_.back().get());
      fleet.source.addresses.push_back({host, 1});
    }
    fleet.link.transport = network_.TransportOf(trainer_);
    fleet.link.strand = strand_;
    fleet.link.client_name = "fuzz";
    fleet.link.credit_timeout = kRpcTimeout;
    fleet_ = std::make_shared<ServerFleet>(fleet);
  }

  // How many batches came.
  int All() {
    int batches = 0;
    auto session = Open();
    Must(!beside_ || session.ok(), "two honest servers beside it open it");
    if (session.ok()) {
      CheckSession(*session);
      batches = ReadEpoch(std::move(session->session));
      Must(!beside_ || batches == 2, "and make every batch");
    }
    Close();
    return batches;
  }

 private:
  static std::unique_ptr<SamplerService> Service(uint64_t incarnation,
                                                 SimExecutor* node) {
    SamplerServiceOptions options;
    options.incarnation = incarnation;
    options.memory_budget = size_t{64} << 10;
    SamplerServiceEnvironment environment;
    environment.executor = node;
    environment.leaf_executor = node;
    return std::make_unique<SamplerService>(options, environment,
                                            ServedGraph{FuzzGraph()});
  }

  absl::StatusOr<OpenedSession> Open() {
    std::optional<absl::StatusOr<OpenedSession>> opened;
    auto opener = std::make_shared<SessionOpener>(LoaderOptions(), strand_);
    strand_->Post([&] {
      opener->Open(fleet_, kRpcTimeout,
                   [&opened](auto result) { opened = std::move(result); });
    });
    Must(world_.RunUntil([&opened] { return opened.has_value(); },
                         kRpcTimeout + absl::Seconds(1)),
         "opening ends in time");
    return *std::move(opened);
  }

  static void CheckSession(const OpenedSession& opened) {
    const std::vector<int64_t>& ids = *opened.session.input_ids;
    Must(!ids.empty(), "a session has inputs");
    Must(opened.session.order.num_inputs == ids.size(), "and orders them all");
    const auto& types = opened.schema.node_types;
    for (int64_t id : ids) {
      bool known = false;
      for (const auto& type : types) known |= id >= 0 && id < type.num_nodes;
      Must(known, "which are nodes of the graph");
    }
  }

  int ReadEpoch(LoaderSession session) {
    LoaderCoreOptions options;
    options.buffer_size = size_t{64} << 10;
    options.rpc_timeout = kRpcTimeout;
    loader_ = std::make_shared<LoaderCore>(options, session, strand_);
    strand_->Post([this] {
      loader_->Start(fleet_);
      loader_->StartEpoch(0).IgnoreError();
    });
    int batches = 0;
    for (uint64_t index = 0; index < 4; ++index) {
      auto next = Next();
      if (!next.ok()) continue;
      if (!next->has_value()) break;
      Must((*next)->view().key().session == session.identity,
           "a batch is of the session");
      ++batches;
    }
    return batches;
  }

  absl::StatusOr<std::optional<BatchLease>> Next() {
    std::optional<absl::StatusOr<std::optional<BatchLease>>> result;
    strand_->Post([&] {
      loader_->Next([&result](auto next) { result.emplace(std::move(next)); });
    });
    Must(world_.RunUntil([&result] { return result.has_value(); },
                         kRpcTimeout + absl::Seconds(1)),
         "Next() answers within rpc_timeout");
    return *std::move(result);
  }

  void Close() {
    bool closed = false;
    strand_->Post([&] {
      const auto done = [&closed] { closed = true; };
      if (loader_ != nullptr) return loader_->Close(done);
      fleet_->Close(done);
    });
    Must(world_.RunUntil([&closed] { return closed; }, absl::Minutes(1)),
         "a loader closes");
    Must(loader_ == nullptr || loader_->ring().stats().used_bytes == 0,
         "its ring is empty then");
    loader_.reset();
    fleet_.reset();
    Must(world_.Drain(kMostEvents), "nothing goes on after that");
    for (const auto& service : services_) {
      Must(service->budget().used() == 0, "the servers' budgets are whole");
    }
  }

  Script script_;
  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const server_ = world_.AddNode("server");
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  const std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(trainer_);
  std::vector<std::unique_ptr<SamplerService>> services_;
  bool beside_ = false;
  std::unique_ptr<LyingAcceptor> liar_;
  std::shared_ptr<ServerFleet> fleet_;
  std::shared_ptr<LoaderCore> loader_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int good = World(Script({})).All();
  Must(good == 2, "an honest server's epoch has two batches");
  World(Script({data, size})).All();
  return 0;
}

}  // namespace tributary
