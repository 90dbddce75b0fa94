// The progress of closing at one end of a stream over a socket.
#ifndef TRIBUTARY_CHANNEL_NET_CLOSING_STATE_H_
#define TRIBUTARY_CHANNEL_NET_CLOSING_STATE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace tributary {

// A pure state machine. An end passes through
//
//   kOpen -- Close --> kClosing -- ShutDownIfIdle --> kShutDown
//
// kOpen: messages are sent and rooms of the other end are taken into use.
// kClosing: neither, but queued records are still to be written, or a room that
// the other end has lent is still in use here.
// kShutDown: nothing is outstanding. The caller shuts the socket down for
// writing, which proves to the other end that no room is written into any more.
//
// Whether messages are received is independent: an end that closed by its own
// will stops at once, one that closed because of an error in Send stops when
// its handler has been told.
//
// Not thread-safe: the stream calls it with its lock held.
class ClosingState {
 public:
  bool is_open() const { return phase_ == Phase::kOpen; }
  bool receives() const { return receives_; }
  bool holds_rooms() const { return rooms_held_ > 0; }
  // Why the end closed; OK while it is open.
  const absl::Status& why() const { return why_; }

  // kOpen -> kClosing. Returns false, and changes nothing, if the end was
  // closed before: the first status is kept.
  bool Close(absl::Status why);
  void StopReceiving() { receives_ = false; }

  // Counts a room that the other end lends. Returns false, and does not count
  // it, unless the end is open: otherwise the socket may be shut down already,
  // and then the room belongs to the other end again.
  bool HoldRoom();
  // Requires a room that HoldRoom has counted.
  void ReleaseRoom();

  // kClosing -> kShutDown if `queue_empty` and no room is held. Returns true
  // for this transition, so once: the caller then shuts the socket down.
  bool ShutDownIfIdle(bool queue_empty);

 private:
  enum class Phase { kOpen, kClosing, kShutDown };

  Phase phase_ = Phase::kOpen;
  bool receives_ = true;
  uint64_t rooms_held_ = 0;
  absl::Status why_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_CLOSING_STATE_H_
