// Where processes that share held rows meet, apart from what they say there.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_ROWS_MEETING_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_ROWS_MEETING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tributary {

// What two processes send each other; a piece's memory comes beside it.
struct RowsMessage {
  static constexpr uint32_t kMagic = 0x31525254;  // another one: version
  enum Kind : uint32_t { kHello = 1, kPiece = 2, kDrop = 3 };
  uint32_t magic = kMagic;
  uint32_t kind = kHello;
  uint32_t node_type = 0;
  uint32_t num_rows = 0;
  uint64_t first = 0;
  uint64_t sequence = 0;  // of the piece, in the leader's order
  double share = 0;
};
static_assert(std::is_trivially_copyable_v<RowsMessage> &&
              sizeof(RowsMessage) == 40);

// A memory that nobody can write to any more.
struct FrozenMemory {
  absl::Span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;  // keeps it mapped
  int fd = -1;  // to send to another process, while the owner lives
};

// One name, which one process has at a time, and connections with its holder:
// unix sockets, or a simulation of them. All calls and events come on one
// thread, but for Post.
class RowsMeeting {
 public:
  using Peer = int;  // the other end of a connection; may be used again

  class Events {
   public:
    virtual ~Events() = default;
    // Another process of this user has connected; nothing is watched yet.
    virtual void OnPeer(Peer peer) = 0;
    // Of a peer that is watched: a message can be received, or it has closed.
    virtual void OnReadable(Peer peer) = 0;
    virtual void OnWritable(Peer peer) = 0;
  };

  virtual ~RowsMeeting() = default;

  // Takes the name, and passes events from then on. ALREADY_EXISTS if another
  // process has it; else what the system says.
  virtual absl::Status Bind() = 0;
  virtual void Unbind() = 0;
  // Connects to the process that has the name. UNAVAILABLE if there is none;
  // PERMISSION_DENIED if it is another user's.
  virtual absl::StatusOr<Peer> Connect() = 0;
  // Returns false if the system cannot watch it.
  virtual bool Watch(Peer peer) = 0;
  virtual void Unwatch(Peer peer) = 0;
  // Sets whether OnWritable is called; it is not at first.
  virtual void WantWritable(Peer peer, bool wanted) = 0;
  virtual void Close(Peer peer) = 0;

  enum class Sent { kWhole, kFull, kBroken };
  virtual Sent Send(Peer peer, const RowsMessage& message,
                    const FrozenMemory* memory = nullptr) = 0;
  struct Received {
    enum class State { kNothing, kMessage, kForeign, kClosed };
    State state = State::kNothing;
    RowsMessage message;
    // Of a piece: INVALID_ARGUMENT if it is not frozen.
    absl::StatusOr<FrozenMemory> memory = absl::InvalidArgumentError("none");
  };
  virtual Received Receive(Peer peer) = 0;

  // Thread-safe.
  virtual void Post(std::function<void()> task) = 0;
  virtual void PostAfter(absl::Duration delay, std::function<void()> task) = 0;

  // Not thread-safe; before all other calls. `events` outlives it.
  void SetEvents(Events* events) { events_ = events; }

 protected:
  Events* events() const { return events_; }

 private:
  Events* events_ = nullptr;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_ROWS_MEETING_H_
