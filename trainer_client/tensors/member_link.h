// The connection to one server that holds rows.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_MEMBER_LINK_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_MEMBER_LINK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "channel/call_client.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/fleet/backoff.h"
#include "common/placement/row_placement.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/control_calls.h"

namespace tributary {

// A call to a member. It may be sent more than once, so the member must do it
// once however often it comes.
struct MemberCall {
  MessageKind kind{};
  MessageKind reply{};
  std::string header;
  absl::Span<const uint8_t> payload;  // kept by `payload_owner`
  std::shared_ptr<const void> payload_owner;
  size_t max_reply_bytes = 0;
  absl::Time deadline;  // by the strand's clock; finite
  // Whether it waits for other ranks. Such calls are sent at once; others wait
  // until the window has room.
  bool waits_for_ranks = false;
  // Whether it may wait for other ranks, within the window. The deadline of
  // either kind does not mean that a member is lost whose stream is open.
  bool may_wait_for_ranks = false;
  // Whether RESOURCE_EXHAUSTED says that the member is busy; else it is final.
  bool retry_when_full = true;
};

struct MemberLinkOptions {
  Transport* transport = nullptr;  // outlives the link
  std::shared_ptr<Strand> strand;
  RowMember member;
  Address address;    // of the member
  GraphChoice graph;  // that it serves
  uint64_t jitter_seed = 0;
  size_t max_in_flight = 32;  // calls, and bytes of requests and replies
  size_t max_bytes_in_flight = size_t{32} << 20;
  // Called once, on the strand, when the member is lost: it has ended, started
  // again, or not answered a call until its deadline.
  std::function<void(const absl::Status&)> on_lost;
};

// Keeps one `Data` stream open, and joins the attempt over it every 20 s, so
// that the member keeps the attempt and a dead member is noticed while nothing
// else is asked of it. Calls that a broken
// stream has lost, and those that the server refuses for now, are sent again
// after a pause, until their deadlines. All methods run on the strand, and so
// do callbacks, never inside Call. Held by shared_ptr.
class MemberLink : public std::enable_shared_from_this<MemberLink> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<CallReply>)>;

  explicit MemberLink(MemberLinkOptions options);

  // Begins to join by `request`, a JoinAttemptRequest; each attempt to do so
  // ends within `timeout`. `joined` receives the first result.
  void KeepJoined(std::string request, absl::Duration timeout, Done joined);

  // Calls `done` once: with the reply, with the member's own error, or with
  // UNAVAILABLE, which names the member, when it is lost.
  void Call(MemberCall call, Done done);
  // Fails the open calls, and all later ones, with `why`.
  void Close(const absl::Status& why);

  const RowMember& member() const { return options_.member; }

 private:
  struct Open {
    MemberCall call;
    Done done;
    TimerId timer = 0;
    size_t bytes = 0;
    bool in_flight = false;
  };

  void Join(Done done);
  void Pump();
  void Send(uint64_t id, Open& open);
  bool HasRoomFor(const Open& open) const;
  void OnReply(uint64_t id, uint64_t generation,
               absl::StatusOr<CallReply> reply);
  void OnError(uint64_t id, Open& open, const absl::Status& error);
  void OnDeadline(uint64_t id);
  // Sends the call again after a pause.
  void RetryLater(uint64_t id, const absl::Status& trouble);
  void Pause();
  // Asks the server whether it is the one that the run began with.
  void Probe(uint64_t id, absl::Status error);
  void OnUnknown(uint64_t id, const absl::Status& error);
  void CloseAsLost(absl::string_view what);
  void Finish(uint64_t id, absl::StatusOr<CallReply> result);

  const MemberLinkOptions options_;
  Backoff backoff_;
  std::unique_ptr<CallClient> client_;
  uint64_t generation_ = 0;  // of client_
  std::map<uint64_t, Open> calls_;
  std::set<uint64_t> waiting_;  // calls to be sent, ascending
  uint64_t next_id_ = 1;
  size_t in_flight_ = 0;  // within the window
  size_t bytes_in_flight_ = 0;
  bool pausing_ = false;
  bool joined_ = false;  // the member has known the attempt
  absl::Status last_trouble_;
  absl::Status closed_;
  std::string join_;  // the request
  absl::Duration join_timeout_;
  TimerId join_timer_ = 0;
};

// Returns the text that every error of a lost member ends with.
inline constexpr char kGoOnFromCheckpoint[] =
    "go on from a checkpoint (--resume, --max-restarts)";

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_MEMBER_LINK_H_
