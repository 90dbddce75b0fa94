// A network for the simulation: real messages through the real codec, with
// latency, cuts, corruption, silence, doubles, dead and frozen nodes.
#ifndef TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_
#define TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/testing/sim_random.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {

// Probabilities are per message or per connection attempt. Each connection
// draws from a stream of its own.
struct SimNetworkFaults {
  absl::Duration min_latency = absl::Microseconds(20);
  absl::Duration max_latency = absl::Microseconds(200);
  double corrupt = 0;         // one bit of the message flips
  double cut = 0;             // the stream breaks, what is in flight is lost
  double stall = 0;           // nothing more passes; seen late, if at all
  double refuse_connect = 0;  // a connection attempt fails
  double slow_connect = 0;    // it takes up to max_slow_connect
  // It arrives twice: the second stream brings the server all that the client
  // says on the first, later; its answers go nowhere.
  double connect_twice = 0;
  // How long the other ends take to see that a node died, and each end that
  // its stream has stalled.
  absl::Duration max_crash_detection = absl::Seconds(2);
  absl::Duration max_stall_detection = absl::Seconds(5);
  absl::Duration max_slow_connect = absl::Seconds(2);
  size_t max_queued_bytes = size_t{64} << 20;  // of one direction of a stream
};

// How often each happened.
struct SimNetworkCounts {
  uint64_t delivered = 0;
  uint64_t corrupted = 0;
  uint64_t cut = 0;
  uint64_t stalled = 0;
  uint64_t refused = 0;
  uint64_t slow = 0;
  uint64_t twice = 0;
  uint64_t held_back = 0;  // by a partition
};

// Which stream.
struct SimLinkInfo {
  uint64_t id = 0;
  StreamMethod method{};
  int client = -1;  // nodes
  int server = -1;  // -1: nobody listens there
  Address address;  // of the server
  bool is_double = false;
};

enum class SimSide { kClient = 0, kServer = 1 };

// Sees every message, for checks. Must not change the world.
class SimNetworkWatch {
 public:
  virtual ~SimNetworkWatch() = default;
  virtual void OnConnect(const SimLinkInfo& link) = 0;
  // Handed over by `from`; it may never arrive.
  virtual void OnSend(const SimLinkInfo& link, SimSide from,
                      const OutgoingMessage& message) = 0;
  // Undamaged; the handler is called next.
  virtual void OnArrival(const SimLinkInfo& link, SimSide to,
                         const OutgoingMessage& message) = 0;
  // The end closes it.
  virtual void OnClose(const SimLinkInfo& link, SimSide side,
                       const absl::Status& why) = 0;
  // The end is about to be told; or its node is dead.
  virtual void OnClosed(const SimLinkInfo& link, SimSide side) = 0;
};

class SimLink;
class SimRoom;

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
  // Its streams break, and both ends are told.
  void BreakStreamsOf(SimExecutor* node);
  // Nothing passes from nodes named `from` to those named `to` until Heal;
  // streams stay open and what is under way waits.
  void Part(const std::string& from, const std::string& to);
  void Heal(const std::string& from, const std::string& to);
  // Both ways, and all.
  void Partition(SimExecutor* a, SimExecutor* b);
  void Heal();

  SimNetworkFaults& faults() { return faults_; }
  // Rooms travel beside credits, as over shared memory; the server's mapping of
  // them ends with its process.
  void set_carries_rooms(bool carries) { carries_rooms_ = carries; }
  // `watch` may be null.
  void set_watch(SimNetworkWatch* watch) { watch_ = watch; }
  const SimNetworkCounts& counts() const { return counts_; }
  uint64_t messages_delivered() const { return counts_.delivered; }
  uint64_t messages_corrupted() const { return counts_.corrupted; }
  // Streams with an end that has not been told of its close.
  size_t open_links();
  // Payload bytes of the node's frames that have not been let go of.
  size_t FrameBytesOf(int node) const {
    const auto it = frame_bytes_.find(node);
    return it == frame_bytes_.end() ? 0 : it->second;
  }

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
  std::shared_ptr<SimLink> NewLink(SimExecutor* from, const Address& to,
                                   StreamMethod method);
  void Double(SimLink& link, const Address& to, StreamMethod method);
  void Accept(const std::shared_ptr<SimLink>& link);
  // What the node at the other end gets of a room.
  std::shared_ptr<SharedRoom> Map(int node, std::shared_ptr<SharedRoom> room);
  void Resume();
  bool Parted(const std::string& from, const std::string& to) const;
  std::vector<std::shared_ptr<SimLink>> Links();

  SimScheduler* const world_;
  SimNetworkFaults faults_;
  std::map<Address, Listener> listeners_;
  std::map<int, std::unique_ptr<Transport>> transports_;
  std::vector<std::weak_ptr<SimLink>> links_;
  uint64_t links_made_ = 0;
  // How many connections there were from a node to an address.
  std::map<std::tuple<std::string, Address, StreamMethod>, int> attempts_;
  std::set<std::pair<std::string, std::string>> parted_;  // from, to
  // Kept while a partition holds back what they carry, by id.
  std::map<uint64_t, std::shared_ptr<SimLink>> held_back_;
  bool carries_rooms_ = false;
  std::vector<std::pair<int, std::weak_ptr<SimRoom>>> rooms_;  // by holder
  std::map<int, size_t> frame_bytes_;  // by sending node
  SimNetworkWatch* watch_ = nullptr;
  SimNetworkCounts counts_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_
