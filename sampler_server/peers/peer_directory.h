// The other servers of the fleet: who is there, and who owns what.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_DIRECTORY_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_DIRECTORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/fleet/backoff.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "partition/schema/schema.h"
#include "sampler_server/peers/peer.h"

namespace tributary {

struct PeerDirectoryOptions {
  GraphSchema schema;            // peers must have its layout
  uint64_t own_incarnation = 0;  // which of the addresses is this server
  absl::Duration describe_interval = absl::Seconds(1);
  absl::Duration describe_timeout = absl::Seconds(2);
  BackoffOptions backoff{absl::Milliseconds(50), absl::Seconds(2)};
};

// Describes each address again and again: an answer makes it healthy, silence
// or an error does not. A server with another layout is refused by name; this
// server itself is no peer. An address that is listed no more stays while it
// is healthy: lists may be wrong for a while. Thread-safe. Create with
// std::make_shared; transport and executor outlive it.
class PeerDirectory : public std::enable_shared_from_this<PeerDirectory> {
 public:
  PeerDirectory(PeerDirectoryOptions options, Transport* transport,
                Executor* executor);

  // The addresses that are listed now.
  void SetListed(std::vector<Address> addresses);
  // Makes no more calls, lets go of every stream, and then calls `stopped`.
  void Stop(absl::AnyInvocable<void()> stopped);

  // Healthy owners, draining ones last; the first of them changes from call to
  // call, so that they share the load.
  std::vector<std::shared_ptr<Peer>> Owners(uint32_t partition);
  // A leaf call to the peer failed so that others should go elsewhere until it
  // is described again.
  void ReportFailure(const std::shared_ptr<Peer>& peer, absl::Status why);
  // "127.0.0.1:1 (UNAVAILABLE: ...), ..." of those that do not answer.
  std::string Problems() const;
  std::vector<v1::PeerState> States() const;

 private:
  // How a peer is being watched. On the strand.
  struct Watch {
    std::shared_ptr<Peer> peer;
    Backoff backoff;
    std::unique_ptr<CallClient> control;
    TimerId timer = 0;
    bool in_flight = false;
    bool listed = true;
    bool is_self = false;
  };

  void Listed(const std::vector<Address>& addresses);
  void DescribeAfter(const Address& address, absl::Duration delay);
  void Describe(const Address& address);
  void OnDescribed(const Address& address, absl::StatusOr<CallReply> reply);
  absl::Status Accept(Watch& watch, const absl::StatusOr<CallReply>& reply);
  absl::Status CheckGraph(const std::string& graph_json) const;
  void Publish();

  const PeerDirectoryOptions options_;
  Transport* const transport_;
  const std::shared_ptr<Strand> strand_;

  std::map<Address, Watch> watches_;  // on the strand
  bool stopped_ = false;              // on the strand
  std::string accepted_json_;  // the last that was accepted; on the strand

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Peer>> peers_ ABSL_GUARDED_BY(mutex_);
  uint64_t turn_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_DIRECTORY_H_
