// Another server of the fleet: what it last said of itself, and the stream of
// leaf calls to it.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "sampler_server/peers/answer_times.h"

namespace tributary {

// A peer is healthy from the moment that it describes itself with this server's
// graph until a Describe or a leaf call fails. PeerDirectory owns it and
// decides on its health; calls in flight keep it alive as well. Thread-safe.
// The transport and the executor outlive it.
class Peer {
 public:
  Peer(Address address, Transport* transport, Executor* executor)
      : address_(std::move(address)),
        transport_(transport),
        executor_(executor) {}

  const Address& address() const { return address_; }
  // How long it takes to answer leaf calls.
  AnswerTimes& answer_times() { return answer_times_; }
  // Whether its last Describe succeeded and nothing failed since.
  bool healthy() const;
  // Whether it owned `partition` at its last successful Describe.
  bool Owns(uint32_t partition) const;
  bool draining() const;
  // Why it is not healthy; OK if it is.
  absl::Status problem() const;
  // Returns address, health and partitions, for Describe's reply.
  v1::PeerState State() const;

  // Returns the stream of leaf calls. Opens it at the first call, and again
  // after the last one broke; concurrent callers share one stream. Does not
  // hold the lock while it connects.
  std::shared_ptr<CallClient> Leaf();

  // Returns whether calls should go to other owners for now.
  bool left_alone(absl::Time now) const;
  // Leaves the peer alone for a second, and for longer each time that this
  // follows soon, up to half a minute. Returns false if it is left alone
  // already.
  bool LeaveAlone(absl::Time now);
  // Lets later calls open another stream. The calls that are pending keep
  // theirs.
  void RenewLeaf();

  // Sets what a successful Describe said.
  void SetHealthy(std::vector<uint32_t> partitions, bool draining);
  // Makes it unhealthy and closes the leaf stream with `why`, so that the
  // pending calls fail and go to other owners.
  void SetProblem(absl::Status why);

 private:
  const Address address_;
  Transport* const transport_;
  Executor* const executor_;
  AnswerTimes answer_times_;
  mutable Mutex mutex_;
  absl::Status problem_ ABSL_GUARDED_BY(mutex_) =
      absl::UnavailableError("it has not been reached yet");
  std::vector<uint32_t> partitions_ ABSL_GUARDED_BY(mutex_);  // ascending
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time alone_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Duration alone_for_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<CallClient> leaf_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_H_
