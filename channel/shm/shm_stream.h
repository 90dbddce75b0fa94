// One end of a stream between two processes of one machine.
//
// Envelopes travel as records over a unix socket. A batch's room is lent as a
// range of shared memory beside its credit: the server maps it and gathers the
// batch straight into the trainer's slot.
#ifndef TRIBUTARY_CHANNEL_SHM_SHM_STREAM_H_
#define TRIBUTARY_CHANNEL_SHM_SHM_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/net/closing_state.h"
#include "channel/net/send_queue.h"
#include "channel/net/socket_loop.h"
#include "channel/net/watched_socket.h"
#include "channel/shm/lent_rooms.h"
#include "channel/shm/peer_memories.h"
#include "channel/shm/record_reader.h"
#include "channel/shm/shared_memories.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct ShmStreamOptions {
  // Limit of the messages that wait in one direction of one stream.
  size_t max_queued_bytes = size_t{64} << 20;
  // Limit of one shared memory.
  size_t max_memory_bytes = size_t{1} << 40;
  // How long an end that has closed waits for the other one to read what is
  // queued.
  absl::Duration linger = absl::Seconds(5);
};

// Connects the parts of an end: SendQueue writes records, RecordReader reads
// them, LentRooms (trainer) and PeerMemories (server) keep the rooms, and
// ClosingState says what is still allowed.
//
// A trainer's end keeps a room until the server has released it *or the socket
// has ended*. A server's end keeps its socket open while anything in its
// process may write into a room, so the end of the socket proves that nothing
// does. Rooms lent to a frozen server stay lent for as long as it is frozen,
// and nothing else waits for them. A room that an answer gives back is released
// in the same piece of bytes as the answer, so that the trainer wakes up once.
//
// Thread-safe. Handlers are called on the loop's thread, without the lock.
class ShmStream final : public SocketWatcher,
                        public std::enable_shared_from_this<ShmStream> {
 public:
  enum class Side { kTrainer, kServer };

  // `other_end` names the other end in error messages. `memories`: where rooms
  // may lie, for a trainer; null for a server. The loop outlives the stream, or
  // Break is called before its end.
  ShmStream(Side side, UniqueFd socket, std::string other_end, SocketLoop* loop,
            std::shared_ptr<const SharedMemories> memories,
            const ShmStreamOptions& options);
  ~ShmStream() override;

  // Returns the Stream that users hold; dropping it closes this end.
  std::shared_ptr<Stream> MakeHandle();
  // Begins to receive. Call once. If the system cannot watch the socket, the
  // stream breaks with RESOURCE_EXHAUSTED.
  void Start(std::shared_ptr<StreamHandler> handler);
  // Closes without a handler; the other end receives `why`. Instead of Start.
  void Refuse(const absl::Status& why);

  // As Stream's methods.
  absl::Status Send(OutgoingMessage message);
  size_t queued_bytes() const;
  void Close(absl::Status why);
  // Ends the stream as the other end's death would, before the loop ends: a
  // trainer takes its rooms back. Requires the loop's thread, or that the
  // socket is not watched.
  void Break(absl::Status why);

 private:
  using Records = SendQueue::Records;  // destroyed without the lock

  void OnReadable() override;
  void OnWritable() override;

  // ---- sending --------------------------------------------------------------
  absl::Status Enqueue(OutgoingMessage message);
  void Flush(Records* removed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReleaseRoom(uint64_t number);

  // ---- receiving, on the loop's thread --------------------------------------
  int socket_fd() const;
  absl::Status HandleRecords();
  absl::Status Handle(const IncomingRecord& incoming);
  absl::Status HandleMessage(const IncomingRecord& incoming);
  absl::Status HandleReleased(uint64_t number);
  void HandleClose(absl::Status why);
  void ReceiveFailed(const absl::Status& status);
  absl::StatusOr<std::shared_ptr<SharedRoom>> MapRoom(const Record& record);

  // ---- closing --------------------------------------------------------------
  void CloseLocked(absl::Status why, Records* removed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PostOnClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CallOnClosed();
  void EndLinger();
  void Disconnect(absl::Status why);
  void ShutDownIfIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Side side_;
  const std::string other_end_;
  const ShmStreamOptions options_;

  // Used on the loop's thread only.
  RecordReader reader_;
  PeerMemories peer_memories_;

  mutable Mutex mutex_;
  WatchedSocket socket_ ABSL_GUARDED_BY(mutex_);
  SendQueue queue_ ABSL_GUARDED_BY(mutex_);
  LentRooms lent_rooms_ ABSL_GUARDED_BY(mutex_);
  ClosingState state_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<StreamHandler> handler_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHM_STREAM_H_
