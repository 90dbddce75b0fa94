// A peer whose answers a test decides, and a simulated world with several.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_TESTING_SCRIPTED_PEER_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_TESTING_SCRIPTED_PEER_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_server.h"
#include "channel/testing/sim_network.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/graph.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

// A leaf call that has arrived at a peer.
struct ArrivedCall {
  MessageKind kind{};
  std::string header;
  std::string payload;
  CancelToken cancel;  // cancelled once the caller has said so

  template <typename Request>
  Request Parse() const {
    Request request;
    request.ParseFromString(header);
    return request;
  }
};

// Answers Describe from `description` and leaf calls by `answer`; records both.
// For SimNetwork::Listen. Runs on the simulation's thread; outlives its
// streams.
class ScriptedPeer final : public StreamAcceptor {
 public:
  using Answer = std::function<absl::StatusOr<CallAnswer>(const ArrivedCall&)>;

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

  v1::DescribeReply description;
  absl::Status describe_error;   // in place of the description, if not OK
  bool answers_describe = true;  // false: Describe gets no answer
  std::string raw_description;   // in place of the description, if not empty
  Answer answer;                 // unset: leaf calls get no answer

  std::vector<ArrivedCall> calls;  // leaf calls, in the order of arrival
  int num_described = 0;           // Describe calls that have arrived
  std::string describe_header;     // of the last of them
  int num_leaf_streams = 0;        // leaf streams that were opened
  int num_control_streams = 0;     // control streams likewise

 private:
  void Describe(IncomingCall call, CallResponder respond);
  void Leaf(IncomingCall call, CallResponder respond);

  std::vector<CallResponder> unanswered_;
};

// Returns an answer of `kind` with these bytes.
CallAnswer MakeAnswer(MessageKind kind, std::string header,
                      std::string payload);

// Returns the bytes of `values`, one after the other.
template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A server's directory, which knows scripted peers, on one simulated node. The
// graph has 2048 nodes in 2 partitions by id modulo 2, of which node 0 and node
// 1 have 1024 in-edges each; x of 2 floats, y, and edge_attr of 1 float.
class PeerWorld {
 public:
  explicit PeerWorld(PeerDirectoryOptions options = {});
  // Stops the directory and requires that nothing is left to do.
  ~PeerWorld();
  PeerWorld(const PeerWorld&) = delete;
  PeerWorld& operator=(const PeerWorld&) = delete;

  // Adds peer number i at "peer<i>:1", which owns `partitions`.
  ScriptedPeer& Add(std::vector<uint32_t> partitions);
  Address AddressOf(size_t peer) const;
  // Lists these peers, by number, and runs until the directory has taken it.
  void List(const std::vector<size_t>& peers);
  // Lists all peers and runs until each of them is healthy.
  void Introduce();
  void RunFor(absl::Duration time);
  // Runs until `done` holds; false when a minute has passed.
  bool RunUntil(const std::function<bool()>& done);

  const Graph& graph() const { return *graph_; }
  absl::Time now() const { return world_.now(); }
  SimNetwork& network() { return network_; }
  const std::shared_ptr<PeerDirectory>& directory() { return directory_; }
  const std::shared_ptr<Strand>& strand() { return strand_; }
  ScriptedPeer& peer(size_t i) { return *peers_[i]; }
  // Leaf calls that have arrived at all peers.
  size_t num_calls() const;
  // Addresses of States() that are healthy.
  std::vector<std::string> Healthy() const;

 private:
  const std::shared_ptr<const Graph> graph_;
  std::vector<std::unique_ptr<ScriptedPeer>> peers_;  // outlive the network
  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const server_ = world_.AddNode("server");
  SimExecutor* const peers_node_ = world_.AddNode("peers");
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<PeerDirectory> directory_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_TESTING_SCRIPTED_PEER_H_
