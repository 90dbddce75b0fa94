// One end of a stream between two processes of one machine.
#ifndef TRIBUTARY_CHANNEL_SHM_SHM_STREAM_H_
#define TRIBUTARY_CHANNEL_SHM_SHM_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "channel/shm/record.h"
#include "channel/shm/shared_memories.h"
#include "channel/shm/shared_memory.h"
#include "channel/shm/socket_loop.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct ShmStreamOptions {
  // Of messages waiting in one direction of one stream.
  size_t max_queued_bytes = size_t{64} << 20;
  // Of one shared memory.
  size_t max_memory_bytes = size_t{1} << 40;
  // What an end that has closed waits for the other to take what is queued.
  absl::Duration linger = absl::Seconds(5);
};

// Envelopes over a unix socket; a batch's room beside its credit as a place in
// shared memory, which the server maps. A trainer's end holds a room until the
// server has let go of it, *or its socket has ended*: an end of a server keeps
// its socket open while anything in its process may write into a room, so the
// end of the socket proves that nobody does. A frozen server's rooms stay held,
// however long, and nothing else waits for them. A room that a server's answer
// gives back follows that in the same piece, so that it wakes the trainer once.
//
// Thread-safe; handlers are called on the loop's thread.
class ShmStream final : public SocketWatcher,
                        public std::enable_shared_from_this<ShmStream> {
 public:
  enum class Side { kTrainer, kServer };

  // `other_end` names the other end in messages. `memories`: of a trainer; or
  // null. The loop outlives it.
  ShmStream(Side side, UniqueFd socket, std::string other_end, SocketLoop* loop,
            std::shared_ptr<const SharedMemories> memories,
            const ShmStreamOptions& options);
  ~ShmStream() override;

  // The Stream that users hold; dropping it closes.
  std::shared_ptr<Stream> MakeHandle();
  // From here on the handler is called.
  void Start(std::shared_ptr<StreamHandler> handler);
  // Without a handler: the other end hears `why`.
  void Refuse(const absl::Status& why);

  absl::Status Send(OutgoingMessage message);
  size_t queued_bytes() const;
  void Close(absl::Status why);
  // As the other end's death, before the loop goes away: on its thread, or when
  // the stream is not watched. A trainer lets go of its rooms.
  void Break(absl::Status why);

 private:
  friend class MappedRoom;
  // A record on its way out: head, then payload.
  struct Outgoing {
    std::vector<uint8_t> head;
    absl::Span<const uint8_t> payload;
    std::shared_ptr<const void> payload_owner;
    int fd = -1;         // goes with the first byte; its memory is in told_
    size_t counted = 0;  // of queued_bytes_
    size_t written = 0;

    size_t size() const { return head.size() + payload.size(); }
  };
  using Owners = std::vector<Outgoing>;  // let go of without the lock

  void OnReadable() override;
  void OnWritable() override;

  // ---- sending --------------------------------------------------------------
  void AddRoom(OutgoingMessage& message, Outgoing* out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Enqueue(OutgoingMessage message);
  void Queue(Outgoing out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Hands what it has sent to `done`.
  void Flush(Owners* done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The result of sendmsg, as many records of the queue as it takes.
  ssize_t SendFront() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Sent(size_t bytes, Owners* done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropQueue(Owners* dropped) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RoomReleased(uint64_t room);

  // ---- receiving ------------------------------------------------------------
  bool ReadSome(bool* more);
  absl::Status HandleRecords();
  absl::Status Handle(const Record& record, absl::Span<const uint8_t> bytes);
  absl::Status HandleMessage(const Record& record,
                             absl::Span<const uint8_t> bytes);
  absl::StatusOr<std::shared_ptr<SharedRoom>> MapRoom(const Record& record);

  // ---- the end --------------------------------------------------------------
  void CloseLocked(absl::Status why, bool own, Owners* dropped)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PostClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellClosed();
  void LingerIsOver();
  void EndOfSocket();
  void LetGo(absl::Status why);
  void TakeQueue(std::deque<Outgoing>* to)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unwatch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ShutIfDone() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Side side_;
  const std::string other_end_;
  const std::shared_ptr<const SharedMemories> memories_;
  const ShmStreamOptions options_;

  // Of the loop's thread.
  std::vector<uint8_t> in_;
  size_t in_begin_ = 0, in_end_ = 0;
  bool in_is_foul_ = false;   // nothing that comes is read
  std::deque<UniqueFd> fds_;  // that came and belong to records to come
  std::map<uint32_t, std::shared_ptr<SharedMemory>> mapped_;  // server

  mutable Mutex mutex_;
  SocketLoop* loop_ ABSL_GUARDED_BY(mutex_);  // null after Break
  UniqueFd socket_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<StreamHandler> handler_ ABSL_GUARDED_BY(mutex_);
  std::deque<Outgoing> queue_ ABSL_GUARDED_BY(mutex_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool wants_writable_ ABSL_GUARDED_BY(mutex_) = false;
  bool watched_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;  // no message goes out
  bool deaf_ ABSL_GUARDED_BY(mutex_) = false;    // none is heard
  bool shut_ ABSL_GUARDED_BY(mutex_) = false;    // the socket's way out
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  // Trainer: rooms that the server may write into, and memories it knows.
  std::map<uint64_t, std::shared_ptr<SharedRoom>> lent_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<SharedMemory>> told_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_room_ ABSL_GUARDED_BY(mutex_) = 1;
  // Server: rooms that something here may write into.
  uint64_t rooms_held_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHM_STREAM_H_
