// Another server of the fleet, as far as this one knows it.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "channel/call_client.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// What the last Describe said, and the leaf stream to it. Thread-safe.
class Peer {
 public:
  Peer(Address address, Transport* transport, Executor* executor)
      : address_(std::move(address)),
        transport_(transport),
        executor_(executor) {}

  const Address& address() const { return address_; }
  // It answered lately and holds this graph.
  bool healthy() const;
  bool Owns(uint32_t partition) const;
  bool draining() const;
  // Why it is not healthy.
  absl::Status problem() const;
  v1::PeerState State() const;

  // The stream of leaf calls: opened at the first call, and anew when the last
  // one broke. Other calls here do not wait while it connects.
  std::shared_ptr<CallClient> Leaf();

  void SetHealthy(std::vector<uint32_t> partitions, bool draining);
  // Also breaks the leaf stream, so that those who wait on it go elsewhere.
  void SetProblem(absl::Status why);

 private:
  const Address address_;
  Transport* const transport_;
  Executor* const executor_;
  mutable Mutex mutex_;
  absl::Status problem_ ABSL_GUARDED_BY(mutex_) =
      absl::UnavailableError("it has not been reached yet");
  std::vector<uint32_t> partitions_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<CallClient> leaf_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_H_
