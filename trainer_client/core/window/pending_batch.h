// One batch between being wanted and being delivered.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_PENDING_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_PENDING_BATCH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/batch/batch_view.h"
#include "common/fleet/address.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/fleet/death_record.h"
#include "trainer_client/core/fleet/receive_slot.h"
#include "trainer_client/core/fleet/refusals.h"
#include "trainer_client/core/window/batch_trail.h"

namespace tributary {

// A state machine without time or I/O:
//
//   kWanted -> kRequested -> kReady -> (delivered)
//      ^___________|            |
//      |________________________|  evicted
//   any but kReady -> kFailed -> (its error is delivered)
//
// An earlier request may still be answered while the batch is kWanted again.
// Not thread-safe.
class PendingBatch {
 public:
  enum class State {
    kWanted,     // to be requested
    kRequested,  // a server is expected to answer
    kReady,      // complete, in its slot
    kFailed,     // error() is delivered in its place
  };

  explicit PendingBatch(uint64_t index) : index_(index) {}

  uint64_t index() const { return index_; }
  State state() const { return state_; }
  // kWanted or kRequested.
  bool is_unfinished() const {
    return state_ == State::kWanted || state_ == State::kRequested;
  }
  // Whether it may be requested at `now`.
  bool IsDue(absl::Time now) const {
    return state_ == State::kWanted && now >= not_before_;
  }
  // Whether it was late once, and so was requested of a second server.
  bool hedged() const { return hedged_; }
  // Failed attempts in a row.
  int failures() const { return failures_; }
  // The server that failed last.
  const std::optional<Address>& avoid() const { return avoid_; }
  // Returns the error that is delivered if kFailed; otherwise the latest
  // problem, or OK.
  const absl::Status& error() const { return error_; }
  const DeathRecord& deaths() const { return deaths_; }
  // Kept if it is traced.
  BatchTrail& trail() { return trail_; }
  // The servers that say that they cannot make it.
  const Refusals& refusals() const { return refusals_; }

  // Its size, once it has been received; 0: unknown.
  uint64_t received_bytes() const { return received_bytes_; }
  // Of these, those that did not travel.
  struct LeftOutBytes {
    uint64_t held = 0;     // of rows that the trainer holds
    uint64_t compact = 0;  // by compact edges
  };
  const LeftOutBytes& left_out() const { return left_out_; }
  // The bytes to ask for: its size, or what servers have said that it needs. 0:
  // nothing is known.
  uint64_t wanted_bytes() const { return wanted_bytes_; }
  // The smallest room that is worth a request to this server: no less than it
  // has said itself. What another server says is not proven.
  uint64_t LeastRoom(const Address& server) const;
  // Returns whether the server has said how much the batch needs.
  bool HasNeedOf(const Address& server) const {
    return needs_.contains(server);
  }
  // The servers that have said how much it needs, and the least of that.
  std::vector<Address> ServersWithNeeds() const;
  uint64_t LeastNeed() const;

  // ---- requests -------------------------------------------------------------
  // Decides whether to request it, from the servers lost while they made it.
  template <typename FateOf>
  DeathRecord::Decision DecideRequest(const FateOf& fate_of,
                                      const FleetLosses& fleet) {
    return deaths_.Decide(fate_of, fleet);
  }
  void MarkRequested() { state_ = State::kRequested; }
  // Its server is silent. Requires kRequested.
  void PassOver();
  // Its server is late. Returns false, and changes nothing, if it was hedged
  // before. Requires kRequested.
  bool Hedge();

  // ---- answers; they require is_unfinished() --------------------------------
  // The batch is in the first bytes of `slot`, which Filled has marked.
  void Complete(std::shared_ptr<ReceiveSlot> slot, BatchView view,
                LeftOutBytes left_out);
  // `server` says that it needs `bytes` where it had `granted`, fewer; another
  // one is asked if possible. Room of `capacity` bytes is never exceeded.
  // Requires bytes <= capacity.
  void NeedRoom(const Address& server, uint64_t bytes, uint64_t granted,
                uint64_t capacity);
  // The attempt at `server` failed; to be requested again from `not_before` on.
  void Retry(const Address& server, absl::Status why, absl::Time not_before);
  // A server was lost while it made the batch.
  void AddLost(DeathRecord::Loss loss, absl::Status why);
  // `server` has answered that it cannot make the batch, though another might.
  void AddRefusal(const Address& server, absl::Status why) {
    refusals_.Add(server, std::move(why));
  }
  // To be requested again, elsewhere than at `server` if possible.
  void WantElsewhere(const Address& server);
  void Fail(absl::Status error);

  // ---- after the answer; they require kReady --------------------------------
  // Gives up the slot; the batch is wanted again, with its size known.
  void Evict();
  // Returns the batch for its user, who owns its room from then on. The object
  // is of no further use.
  absl::StatusOr<BatchLease> TakeLease();

 private:
  uint64_t index_;
  State state_ = State::kWanted;
  uint64_t received_bytes_ = 0;
  LeftOutBytes left_out_;
  uint64_t wanted_bytes_ = 0;
  std::map<Address, uint64_t> needs_;  // the latest that each server has said
  bool hedged_ = false;
  int failures_ = 0;
  absl::Time not_before_ = absl::InfinitePast();
  std::optional<Address> avoid_;
  absl::Status error_;
  DeathRecord deaths_;
  Refusals refusals_;
  std::shared_ptr<ReceiveSlot> slot_;
  std::optional<BatchView> view_;
  BatchTrail trail_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_PENDING_BATCH_H_
