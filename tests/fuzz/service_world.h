// One sampling server in virtual time, and raw streams to it that a script
// drives.
#ifndef TRIBUTARY_TESTS_FUZZ_SERVICE_WORLD_H_
#define TRIBUTARY_TESTS_FUZZ_SERVICE_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "channel/testing/sim_network.h"
#include "channel/transport.h"
#include "common/identity/identity.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/graph.h"
#include "partition/format/hot_list.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {

// A raw stream to the server, which sends whatever a script says. Passes the
// messages that arrive to `heard`, if set. Used on the simulation's thread.
class RawClient final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;
  void Send(OutgoingMessage message);
  void Close();
  bool closed() const { return closed_; }

  std::function<void(IncomingMessage&)> heard;
  std::shared_ptr<Stream> stream;

 private:
  bool closed_ = false;
};

// Return a homogeneous graph of 6 nodes and 8 edges in 2 partitions, with
// features, labels, edge attributes and the split "train", and the same graph
// with partition 0 alone. Each is made once per process.
std::shared_ptr<const Graph> FuzzGraph();
std::shared_ptr<const Graph> HalfOfFuzzGraph();

// Returns a hot list of FuzzGraph(), which ServiceWorld's server has.
std::shared_ptr<const HotList> FuzzHotList();

// Returns nobody, a trainer, an operator or a sampler, as the last byte of the
// input says.
Identity FuzzIdentity(absl::Span<const uint8_t> input);

// A server with FuzzGraph() on a simulated network. Its budgets and queues are
// small, so that scripts reach their limits. Not thread-safe.
class ServiceWorld {
 public:
  // `identity` is that of the raw streams.
  explicit ServiceWorld(const Identity& identity = {});
  // Closes every stream, runs until the server is idle, and checks that it has
  // returned all of its budget.
  ~ServiceWorld();
  ServiceWorld(const ServiceWorld&) = delete;
  ServiceWorld& operator=(const ServiceWorld&) = delete;

  // Returns a new stream, which this object keeps alive.
  std::shared_ptr<RawClient> Connect(StreamMethod method);
  // Returns a trainer that follows the protocol.
  std::shared_ptr<ScriptedTrainer> ConnectTrainer();
  // Runs the simulation for `time`.
  void Run(absl::Duration time);
  SamplerService& service() { return *service_; }
  SimScheduler& world() { return world_; }

 private:
  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const server_ = world_.AddNode("server");
  SimExecutor* const client_ = world_.AddNode("client");
  std::unique_ptr<SamplerService> service_;
  std::vector<std::shared_ptr<RawClient>> clients_;
  std::vector<std::shared_ptr<ScriptedTrainer>> trainers_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_SERVICE_WORLD_H_
