// One end of a stream over a TCP connection of its own.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_STREAM_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/message.h"
#include "channel/net/closing_state.h"
#include "channel/net/send_queue.h"
#include "channel/net/socket_loop.h"
#include "channel/net/watched_socket.h"
#include "channel/network.h"
#include "channel/tcp/control_message.h"
#include "channel/tcp/message_reader.h"
#include "channel/tcp/signs_of_life.h"
#include "channel/tls/refused_connections.h"
#include "channel/tls/tls_connection.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct TcpStreamOptions {
  ConnectionOptions connection;
  // How long a stream may take until it is open: a client's until it is
  // connected, a server's until the client's kOpen has arrived.
  absl::Duration open_timeout = absl::Seconds(5);
};

// Connects the parts of an end: SendQueue writes messages, MessageReader reads
// them, ClosingState says what is still allowed. Messages are written on the
// thread that sends them, as far as the socket takes them, and else on the
// loop's; they are read on the loop's.
//
// An end that closes writes what it still has to, kClose last, shuts the
// socket down for writing and drops what arrives until the other end has closed
// too, or for close_timeout. So no byte that it has sent is lost to a reset.
//
// A client's end queues kOpen first and is given its socket later, by
// Attach; a server's has one at once and calls `open` with the stream's method.
//
// Thread-safe. Handlers are called on the loop's thread, without the lock.
class TcpStream final : public SocketWatcher,
                        public std::enable_shared_from_this<TcpStream>,
                        private MessageReader::Sink {
 public:
  struct Callbacks {
    // Over TLS: returns whether the other end, whose certificate this is, is
    // the right one. Called once, on the loop's thread, before anything else is
    // exchanged. An error closes the stream, and the other end receives it.
    std::function<absl::Status(const std::string& pem)> verify;
    // Over TLS: called if the handshake fails; may be null.
    std::function<void(RefusalReason reason, const absl::Status& why)>
        handshake_failed;
    // A server's: accepts the stream and returns its handler, or the error to
    // refuse it with. Called once, on the loop's thread.
    std::function<absl::StatusOr<std::shared_ptr<StreamHandler>>(
        TcpStream& stream, StreamMethod method)>
        open;
    // A server's, after the bytes of a message have been read; may be null.
    std::function<void(size_t bytes)> read;
    // The last call, once: OnClosed has returned and the socket is closed. On
    // the loop's thread.
    std::function<void(TcpStream& stream)> ended;
  };

  // `other_end` names the other end in error messages. The loop outlives the
  // stream's call of `ended`.
  TcpStream(std::string other_end, SocketLoop* loop,
            const TcpStreamOptions& options, Callbacks callbacks);
  ~TcpStream() override;

  // Begins as a client's end; Attach, or Break, follows.
  void StartClient(StreamMethod method, std::shared_ptr<StreamHandler> handler);
  // Gives it its connected socket, and `tls` over it, or null; drops them if
  // the stream has ended.
  void Attach(UniqueFd socket, std::unique_ptr<TlsConnection> tls);
  // Begins as a server's end.
  void StartServer(UniqueFd socket, std::unique_ptr<TlsConnection> tls);
  // Has Tick close the stream with PlannedEnd, after its queue, at `when`.
  void CloseAt(absl::Time when);

  const std::string& other_end() const { return other_end_; }
  // Returns the Stream that users hold; dropping it closes this end.
  std::shared_ptr<Stream> MakeHandle();

  // As Stream's methods.
  absl::Status Send(OutgoingMessage message);
  size_t queued_bytes() const;
  void Close(absl::Status why);
  // As Close, but sends the queued messages first, whatever `why` is.
  void CloseAfterQueue(absl::Status why);
  // Ends the stream at once, on the loop's thread; the other end learns no
  // reason. `why` is for this end's OnClosed.
  void Break(absl::Status why);

  // Returns when the stream last read or wrote a message, by SteadyClock; at
  // first, when it was made.
  absl::Time last_used() const;
  // Does what is due at `now`: to be called about once a second. Asks an end
  // that has been silent for keepalive_time for a sign of life, and breaks the
  // stream if none comes within keepalive_timeout, or if it is not open in
  // time. Returns false in the last case.
  bool Tick(absl::Time now);

 private:
  using Records = SendQueue::Records;  // destroyed without the lock

  void OnReadable() override;
  void OnWritable() override;

  void Begin(UniqueFd socket, std::unique_ptr<TlsConnection> tls, bool open);

  // ---- the handshake of TLS, on the loop's thread ---------------------------
  bool in_handshake() const;
  // Returns whether it is done.
  bool ContinueHandshake();
  void FailHandshake(absl::Status why);

  // ---- sending --------------------------------------------------------------
  void PushControl(TcpControl kind, uint64_t value, std::string text)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Flush(Records* removed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // ---- receiving, on the loop's thread --------------------------------------
  int socket_fd() const;
  bool receives() const;
  ssize_t Read(int fd, absl::Span<iovec> pieces);
  // Each reads once and returns whether more may be there.
  bool ReadMessages(int fd);
  bool DropBytes(int fd);
  PayloadRoom RoomFor(const IncomingMessage& message) override;
  absl::Status TakeMessage(IncomingMessage& message) override;
  absl::Status TakeControl(const IncomingMessage& message);
  absl::Status TakeOpen(const IncomingMessage& message);
  absl::Status TakeClose(const IncomingMessage& message);
  void AnswerPing();
  absl::Status WhyEnded(int error) const;
  absl::Status Named(const absl::Status& why) const;
  absl::Status CheckSigns(absl::Time now, Records* removed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // ---- closing --------------------------------------------------------------
  void CloseWith(absl::Status why, bool after_queue);
  void CloseLocked(absl::Status why, bool after_queue, Records* removed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DisconnectLater() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PostOnClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CallOnClosed();
  void Disconnect(absl::Status why);
  void EndIfDone();

  const std::string other_end_;
  const TcpStreamOptions options_;
  const Callbacks callbacks_;
  const absl::Time created_;

  // Used on the loop's thread only.
  MessageReader reader_;

  mutable Mutex mutex_;
  WatchedSocket socket_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<TlsConnection> tls_ ABSL_GUARDED_BY(mutex_);  // or plain text
  bool in_handshake_ ABSL_GUARDED_BY(mutex_) = false;
  bool handshake_failed_ ABSL_GUARDED_BY(mutex_) = false;
  SendQueue queue_ ABSL_GUARDED_BY(mutex_);
  ClosingState state_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<StreamHandler> handler_ ABSL_GUARDED_BY(mutex_);
  bool open_ ABSL_GUARDED_BY(mutex_) = false;  // see open_timeout
  absl::Time close_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool on_closed_called_ ABSL_GUARDED_BY(mutex_) = false;
  bool disconnected_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time last_used_ ABSL_GUARDED_BY(mutex_);
  SignsOfLife signs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_STREAM_H_
