// One trainer and its fleet in a simulation, for tests of LoaderCore.
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

// Runs a LoaderCore against FakeSamplers in a SimScheduler, on the test's
// thread and in virtual time. Input i has the original id 1000 + i. The
// destructor closes the core and checks that nothing is left in the ring.
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
    int num_clients = 0;  // see ServerFleetOptions
    int client_rank = 0;
  };
  // The servers' settings may be changed until Start.
  explicit LoaderWorld(Options options);
  ~LoaderWorld();

  void Start();

  // Calls Next() and runs the world until it answers; fails the test if it does
  // not within `limit` of virtual time.
  absl::StatusOr<std::optional<BatchLease>> Next(
      absl::Duration limit = absl::Hours(1));
  // Takes the rest of the epoch: checks each batch and releases it at once.
  // Returns the indices that came as batches; appends errors to `errors`.
  std::vector<uint64_t> TakeAll();
  // Checks that the batch holds its inputs and bytes.
  void Check(const BatchLease& lease);
  // Lets that much virtual time pass.
  void Run(absl::Duration time);
  // Closes the core and checks that every stream closed and the ring is empty.
  void CloseAndCheckEmpty();

  // Tells the destructor that the test has closed the core itself.
  void MarkClosed() { closed_ = true; }

  // Kills the server's machine; starts a new incarnation after
  // `restart_after`, if given.
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
