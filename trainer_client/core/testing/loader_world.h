// A trainer and its fleet in one simulation, for tests of the loader's core.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_LOADER_WORLD_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_LOADER_WORLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/loader_core.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {

// Input i has the original id 1000 + i.
class LoaderWorld {
 public:
  struct Options {
    uint64_t seed = 1;
    int num_servers = 2;
    EpochOrderOptions order{
        .num_inputs = 40, .batch_size = 4, .random_seed = 5};
    LoaderCoreOptions core{.buffer_size = 1 << 20,
                           .rpc_timeout = absl::Seconds(30)};
    ServerLinkOptions link{.grants_per_stream = 4,
                           .silence = absl::Milliseconds(500),
                           .credit_timeout = absl::Seconds(30)};
    SimNetworkFaults faults;
    int num_clients = 0;  // ServerFleetOptions'
    int client_rank = 0;
  };
  // Settings of the servers may be changed before Start.
  explicit LoaderWorld(Options options);
  ~LoaderWorld();

  void Start();

  // One Next(), driven until it has answered; fails the test when it does not
  // within `limit` of world time.
  absl::StatusOr<std::optional<BatchLease>> Next(
      absl::Duration limit = absl::Hours(1));
  // The rest of the epoch: every batch checked against its key, each lease let
  // go at once. The indices that came as batches; errors land in `errors`.
  std::vector<uint64_t> TakeAll();
  // Checks what the batch holds against what was to be asked.
  void Check(const BatchLease& lease);
  void Run(absl::Duration time);
  // Closes the core and checks that every stream closed and the ring is empty.
  void CloseAndCheckEmpty();

  // For a test that has closed the core itself.
  void MarkClosed() { closed_ = true; }

  // The machine dies; with `restart_after`, a new incarnation comes.
  void Crash(size_t server, std::optional<absl::Duration> restart_after);

  static Address AddressOf(size_t server) {
    return {"server" + std::to_string(server), 1};
  }
  SimScheduler& world() { return world_; }
  SimNetwork& network() { return *network_; }
  SimExecutor* trainer() { return trainer_; }
  LoaderCore& core() { return *core_; }
  FakeSampler& server(size_t i) { return *servers_[i]; }
  SimExecutor* node(size_t i) { return servers_[i]->settings().node; }
  size_t num_servers() const { return servers_.size(); }
  std::vector<absl::Status> errors;

 private:
  void Listen(size_t i);

  Options options_;
  SimScheduler world_;
  std::unique_ptr<SimNetwork> network_;
  SimExecutor* trainer_;
  std::shared_ptr<Strand> strand_;
  std::vector<std::unique_ptr<FakeSampler>> servers_;
  std::vector<std::unique_ptr<FakeSampler>> dead_;
  uint64_t next_incarnation_ = 100;
  std::shared_ptr<LoaderCore> core_;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_LOADER_WORLD_H_
