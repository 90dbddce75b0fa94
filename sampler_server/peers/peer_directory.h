// The peers of a server: which are alive, and which partitions they own.
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
#include "sampler_server/peers/peer_statuses.h"

namespace tributary {

struct PeerDirectoryOptions {
  GraphSchema schema;            // peers must have its layout digest
  uint64_t own_incarnation = 0;  // recognises the address of this server
  absl::Duration describe_interval = absl::Seconds(1);  // of a healthy peer
  absl::Duration describe_timeout = absl::Seconds(2);
  // Delays before an unhealthy peer is described again.
  BackoffOptions backoff{absl::Milliseconds(50), absl::Seconds(2)};
  // Where to keep what peers tell of themselves; null: they are not asked.
  std::shared_ptr<PeerStatuses> statuses;
};

// A peer as a person is shown it.
struct PeerView {
  v1::PeerState state;
  bool draining = false;
  absl::Status problem;  // why it is not healthy
};

// Watches the listed addresses, for one graph. It sends Describe to each of
// them periodically: a valid reply makes the peer healthy, an error, a timeout
// or another graph layout makes it unhealthy. An address that turns out to be
// this server itself is not a peer. An address that is no longer listed is kept
// until it becomes unhealthy, since lists may be wrong for a while. At most
// 4096 addresses are watched.
//
// Thread-safe. Create with std::make_shared; transport and executor outlive it.
// Pending calls and timers keep it alive until Stop().
class PeerDirectory : public std::enable_shared_from_this<PeerDirectory> {
 public:
  PeerDirectory(PeerDirectoryOptions options, Transport* transport,
                Executor* executor);

  // Replaces the list of addresses. Takes effect later, on the strand.
  void SetListed(std::vector<Address> addresses);
  // Stops all calls, closes every stream, and then calls `stopped` on the
  // executor. Has no peers from then on.
  void Stop(absl::AnyInvocable<void()> stopped);

  // Returns the healthy owners of `partition`; those that take far longer to
  // answer than the fastest, then draining ones, and then those that are left
  // alone for now, come last. They are rotated from call to call, to share the
  // load.
  std::vector<std::shared_ptr<Peer>> Owners(uint32_t partition);
  // Makes the peer unhealthy, after a leaf call failed in a way that other
  // calls to it would, and describes it at once. No effect on an unhealthy one.
  void ReportFailure(const std::shared_ptr<Peer>& peer, absl::Status why);
  // Leaves the peer alone for a while, after an answer that is wrong: others
  // may be sound. Logs it.
  void ReportBadAnswer(const std::shared_ptr<Peer>& peer,
                       const absl::Status& why);
  // Leaves the peer alone for a while and describes it at once, after it has
  // not answered a call in time. It may be busy: pending calls go on, and later
  // ones use another stream. If it does not answer Describe either, it becomes
  // unhealthy.
  void ReportSilence(const std::shared_ptr<Peer>& peer,
                     const absl::Status& why);
  // Returns the unhealthy peers: "127.0.0.1:1 (UNAVAILABLE: ...), ...".
  std::string Problems() const;
  // Returns the states of all peers, by address ascending.
  std::vector<v1::PeerState> States() const;
  // Returns the same with more of each.
  std::vector<PeerView> Views() const;
  // Returns the listed address of this server; empty: it is not known yet.
  std::string self_address() const;

 private:
  // An address that is being watched. Used on the strand.
  struct Watch {
    std::shared_ptr<Peer> peer;
    Backoff backoff;
    std::unique_ptr<CallClient> control;
    TimerId timer = 0;       // of the next Describe
    bool in_flight = false;  // a Describe is pending
    bool listed = true;
    bool is_self = false;
  };

  // These run on the strand.
  void ApplyList(const std::vector<Address>& addresses);
  void DescribeAfter(const Address& address, absl::Duration delay);
  void Describe(const Address& address);
  void OnDescribed(const Address& address, absl::StatusOr<CallReply> reply);
  absl::Status Accept(Watch& watch, const absl::StatusOr<CallReply>& reply);
  void Publish();

  absl::Status CheckGraph(const v1::DescribeReply& described);

  const PeerDirectoryOptions options_;
  Transport* const transport_;
  const std::shared_ptr<Strand> strand_;

  // Used on the strand.
  std::map<Address, Watch> watches_;
  bool stopped_ = false;
  std::string accepted_json_;  // the last graph_json that CheckGraph accepted

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Peer>> peers_ ABSL_GUARDED_BY(mutex_);
  std::string self_ ABSL_GUARDED_BY(mutex_);
  uint64_t turn_ ABSL_GUARDED_BY(mutex_) = 0;  // calls of Owners
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_DIRECTORY_H_
