// A simulated network in virtual time: real messages through the real codec,
// with latency, broken streams, corruption, stalls, duplicate connections, and
// nodes that crash or freeze.
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
#include "common/identity/identity.h"
#include "common/testing/sim_random.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {

// Probabilities are per message or per connection attempt. Each connection
// draws from a random stream of its own.
struct SimNetworkFaults {
  absl::Duration min_latency = absl::Microseconds(20);
  absl::Duration max_latency = absl::Microseconds(200);
  double corrupt = 0;         // one bit of the message flips
  double cut = 0;             // the stream breaks; messages in flight are lost
  double stall = 0;           // nothing more passes; detected late, if at all
  double refuse_connect = 0;  // a connection attempt fails
  double slow_connect = 0;    // it takes up to max_slow_connect
  // The attempt arrives twice: on the second stream the server receives, later,
  // all that the client sends on the first; its answers are dropped.
  double connect_twice = 0;
  // The time until the other ends detect that a node has crashed, and until
  // each end detects that its stream has stalled.
  absl::Duration max_crash_detection = absl::Seconds(2);
  absl::Duration max_stall_detection = absl::Seconds(5);
  absl::Duration max_slow_connect = absl::Seconds(2);
  size_t max_queued_bytes = size_t{64} << 20;  // one direction of a stream
};

// The number of times that each event has happened.
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

// Identifies a stream.
struct SimLinkInfo {
  uint64_t id = 0;
  StreamMethod method{};
  int client = -1;  // node
  int server = -1;  // node; -1: nothing listens at `address`
  Address address;  // of the server
  bool is_double = false;
};

enum class SimSide { kClient = 0, kServer = 1 };

// Observes every message, for checks. Must not change the simulation.
class SimNetworkWatch {
 public:
  virtual ~SimNetworkWatch() = default;
  virtual void OnConnect(const SimLinkInfo& link) = 0;
  // `from` has sent the message; it may never arrive.
  virtual void OnSend(const SimLinkInfo& link, SimSide from,
                      const OutgoingMessage& message) = 0;
  // The message has arrived undamaged; the handler is called next.
  virtual void OnArrival(const SimLinkInfo& link, SimSide to,
                         const OutgoingMessage& message) = 0;
  // `side` closes the stream.
  virtual void OnClose(const SimLinkInfo& link, SimSide side,
                       const absl::Status& why) = 0;
  // OnClosed of `side` is called next, or its node has crashed.
  virtual void OnClosed(const SimLinkInfo& link, SimSide side) = 0;
};

class SimLink;
class SimRoom;

// Connects the nodes of one SimScheduler. Used on the simulation's thread only.
// Outlives the transports and streams it has returned.
class SimNetwork {
 public:
  explicit SimNetwork(SimScheduler* world, SimNetworkFaults faults = {});
  ~SimNetwork();

  // Returns the transport of the node's outgoing streams, owned by the network.
  Transport* TransportOf(SimExecutor* node);
  // Directs streams to `address` to `acceptor`, on `node`, until the node
  // crashes or stops listening.
  void Listen(SimExecutor* node, const Address& address,
              StreamAcceptor* acceptor);
  void StopListening(const Address& address);

  // Ends the node and all its tasks without notice; other ends see their
  // streams break later. Destroy the node's objects afterwards.
  void Crash(SimExecutor* node);
  // Breaks the node's streams; both ends are told.
  void BreakStreamsOf(SimExecutor* node);
  // Lets nothing pass from nodes named `from` to those named `to` until Heal;
  // streams stay open and messages in flight wait.
  void Part(const std::string& from, const std::string& to);
  void Heal(const std::string& from, const std::string& to);
  // Partitions both directions between two nodes; heals all partitions.
  void Partition(SimExecutor* a, SimExecutor* b);
  void Heal();

  // Makes both ends of each stream of `method` to `address` take one message
  // in each `pace`, whatever process listens there: messages wait on the
  // network meanwhile, and arrive at least that long after they were sent.
  void SetPace(const Address& address, StreamMethod method,
               absl::Duration pace) {
    paces_[{address, method}] = pace;
  }

  // Gives the streams that `node` opens an identity, as a certificate would.
  void SetIdentity(const SimExecutor* node, Identity identity);

  SimNetworkFaults& faults() { return faults_; }
  // Sets whether rooms travel with credits, as over shared memory; the server's
  // mapping of them ends with its node.
  void set_carries_rooms(bool carries) { carries_rooms_ = carries; }
  // `watch` may be null.
  void set_watch(SimNetworkWatch* watch) { watch_ = watch; }
  const SimNetworkCounts& counts() const { return counts_; }
  uint64_t messages_delivered() const { return counts_.delivered; }
  uint64_t messages_corrupted() const { return counts_.corrupted; }
  // Returns the number of streams with an end that OnClosed has not reached.
  size_t open_links();
  // Returns the payload bytes of the node's frames that are not yet released.
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
  // Returns the room as node `node`, the server, sees it.
  std::shared_ptr<SharedRoom> Map(int node, std::shared_ptr<SharedRoom> room);
  void Resume();
  bool Parted(const std::string& from, const std::string& to) const;
  std::vector<std::shared_ptr<SimLink>> Links();

  SimScheduler* const world_;
  SimNetworkFaults faults_;
  std::map<Address, Listener> listeners_;
  std::map<std::pair<Address, StreamMethod>, absl::Duration> paces_;
  std::map<int, Identity> identities_;  // by node
  std::map<int, std::unique_ptr<Transport>> transports_;
  std::vector<std::weak_ptr<SimLink>> links_;
  uint64_t links_made_ = 0;
  // The number of connection attempts from a node to an address.
  std::map<std::tuple<std::string, Address, StreamMethod>, int> attempts_;
  std::set<std::pair<std::string, std::string>> parted_;  // from, to
  // Links with messages that a partition holds back, by id; kept alive here.
  std::map<uint64_t, std::shared_ptr<SimLink>> held_back_;
  bool carries_rooms_ = false;
  std::vector<std::pair<int, std::weak_ptr<SimRoom>>> rooms_;  // by holder
  std::map<int, size_t> frame_bytes_;  // by sending node
  SimNetworkWatch* watch_ = nullptr;
  SimNetworkCounts counts_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_SIM_NETWORK_H_
