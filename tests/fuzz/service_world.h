// One sampling server in virtual time, and raw streams to it that a script
// drives.
#ifndef TRIBUTARY_TESTS_FUZZ_SERVICE_WORLD_H_
#define TRIBUTARY_TESTS_FUZZ_SERVICE_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "channel/testing/sim_network.h"
#include "channel/transport.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/graph.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {

// A trainer, a peer or nobody good: what it hears goes to `heard`, if set.
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

// A homogeneous graph of 6 nodes and 8 edges in 2 partitions, with features,
// labels, edge attributes and the split "train"; made once, and once more
// with partition 0 alone.
std::shared_ptr<const Graph> FuzzGraph();
std::shared_ptr<const Graph> HalfOfFuzzGraph();

// Budgets and queues are small, so that scripts meet their limits.
class ServiceWorld {
 public:
  ServiceWorld();
  // Closes every stream, lets the server finish, and holds it to have given
  // all of its memory back.
  ~ServiceWorld();
  ServiceWorld(const ServiceWorld&) = delete;
  ServiceWorld& operator=(const ServiceWorld&) = delete;

  std::shared_ptr<RawClient> Connect(StreamMethod method);
  // One that keeps to the protocol.
  std::shared_ptr<ScriptedTrainer> ConnectTrainer();
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
