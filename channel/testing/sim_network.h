// A network for the simulation: real messages through the real codec, with
// latency, cuts, corruption, dead and frozen nodes.
#ifndef TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_
#define TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {

// Probabilities are per message or per connection attempt.
struct SimNetworkFaults {
  absl::Duration min_latency = absl::Microseconds(20);
  absl::Duration max_latency = absl::Microseconds(200);
  double corrupt = 0;         // one byte of the message flips
  double cut = 0;             // the stream breaks, what is in flight is lost
  double refuse_connect = 0;  // a connection attempt fails
  // How long the other ends take to see that a node died.
  absl::Duration max_crash_detection = absl::Seconds(2);
  size_t max_queued_bytes = size_t{64} << 20;  // of one direction of a stream
};

class SimLink;

// All calls on the simulation's one thread. Outlives what uses it.
class SimNetwork {
 public:
  explicit SimNetwork(SimScheduler* world, SimNetworkFaults faults = {});
  ~SimNetwork();

  // The node's way out; owned by the network.
  Transport* TransportOf(SimExecutor* node);
  // Streams to `address` go to `acceptor`, on `node`, until it crashes or stops
  // listening.
  void Listen(SimExecutor* node, const Address& address,
              StreamAcceptor* acceptor);
  void StopListening(const Address& address);

  // The node and all it had to do vanish without a word; other ends see their
  // streams break later. Destroy the node's objects after it.
  void Crash(SimExecutor* node);
  // No message passes between the two until Heal; streams stay open.
  void Partition(SimExecutor* a, SimExecutor* b);
  void Heal();

  SimNetworkFaults& faults() { return faults_; }
  uint64_t messages_delivered() const { return messages_delivered_; }
  uint64_t messages_corrupted() const { return messages_corrupted_; }
  size_t open_links();

 private:
  friend class SimLink;
  friend class SimTransport;
  struct Listener {
    SimExecutor* node;
    StreamAcceptor* acceptor;
  };

  std::shared_ptr<Stream> Connect(SimExecutor* from, const Address& to,
                                  StreamMethod method,
                                  std::shared_ptr<StreamHandler> handler);
  void Arrive(const std::shared_ptr<SimLink>& link, const Address& to,
              StreamMethod method);
  bool Parted(int a, int b) const;
  absl::Duration Latency();

  SimScheduler* const world_;
  SimNetworkFaults faults_;
  std::map<Address, Listener> listeners_;
  std::map<int, std::unique_ptr<Transport>> transports_;
  std::vector<std::weak_ptr<SimLink>> links_;
  std::set<std::pair<int, int>> parted_;
  uint64_t messages_delivered_ = 0;
  uint64_t messages_corrupted_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_
