#include "channel/tcp/tcp_stream.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/net/fd_message.h"
#include "channel/net/peer_name.h"
#include "channel/planned_end.h"
#include "channel/stream_handle.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int kReadsAtOnce = 16;  // then the loop's other sockets have a turn
constexpr size_t kDropAtOnce = size_t{1} << 20;

// For sockets of loopback, where there is no round trip to bridge: so the bytes
// in flight stay in the cache. The system would let MiBs be in flight.
constexpr int kLoopbackSendBuffer = 256 << 10;

void LimitLoopback(const UniqueFd& socket) {
  if (!IsLoopbackSocket(socket.get())) return;
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kLoopbackSendBuffer,
             sizeof(kLoopbackSendBuffer));
}

absl::Span<const uint8_t> AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

TcpStream::TcpStream(std::string other_end, SocketLoop* loop,
                     const TcpStreamOptions& options, Callbacks callbacks)
    : other_end_(std::move(other_end)),
      options_(options),
      callbacks_(std::move(callbacks)),
      created_(SteadyClock().Now()),
      socket_(UniqueFd(), loop),
      last_used_(created_),
      signs_(options.connection, created_) {}

TcpStream::~TcpStream() = default;

void TcpStream::StartClient(StreamMethod method,
                            std::shared_ptr<StreamHandler> handler) {
  MutexLock lock(mutex_);
  handler_ = std::move(handler);
  PushControl(TcpControl::kOpen, static_cast<uint64_t>(method), "");
}

void TcpStream::Attach(UniqueFd socket, std::unique_ptr<TlsConnection> tls) {
  Begin(std::move(socket), std::move(tls), /*open=*/true);
}

void TcpStream::StartServer(UniqueFd socket,
                            std::unique_ptr<TlsConnection> tls) {
  Begin(std::move(socket), std::move(tls), /*open=*/false);
}

void TcpStream::Begin(UniqueFd socket, std::unique_ptr<TlsConnection> tls,
                      bool open) {
  Records removed;
  bool watched = false;
  LimitLoopback(socket);
  {
    MutexLock lock(mutex_);
    if (disconnected_) return;
    signs_.Seen(SteadyClock().Now());
    socket_.Take(std::move(socket));
    tls_ = std::move(tls);
    in_handshake_ = tls_ != nullptr;
    open_ = open && !in_handshake_;
    Flush(&removed);
    watched = socket_.Watch(shared_from_this());
    // A client speaks first.
    if (in_handshake_) {
      socket_.Post([self = shared_from_this()] { self->OnReadable(); });
    }
  }
  if (!watched) {
    Break(absl::ResourceExhaustedError(
        absl::StrCat(other_end_, ": the system watches no more sockets")));
  }
}

void TcpStream::CloseAt(absl::Time when) {
  MutexLock lock(mutex_);
  close_at_ = when;
}

// ---- the handshake of TLS ---------------------------------------------------

bool TcpStream::in_handshake() const {
  MutexLock lock(mutex_);
  return in_handshake_;
}

bool TcpStream::ContinueHandshake() {
  absl::StatusOr<bool> done = false;
  RefusalReason reason{};
  std::string pem;
  {
    MutexLock lock(mutex_);
    done = tls_->Handshake();
    reason = tls_->reason();
    if (done.ok() && !*done) {
      socket_.WantWritable(!tls_->Flush());
      return false;
    }
    if (done.ok()) pem = tls_->PeerPem();
  }
  if (!done.ok()) {
    if (callbacks_.handshake_failed) {
      callbacks_.handshake_failed(reason, done.status());
    }
    FailHandshake(Named(done.status()));
    return false;
  }
  const absl::Status verified = callbacks_.verify(pem);
  {
    Records removed;
    MutexLock lock(mutex_);
    in_handshake_ = false;
    // A server's end is open once kOpen has arrived.
    open_ = callbacks_.open == nullptr;
    if (verified.ok()) Flush(&removed);
  }
  if (!verified.ok()) Close(callbacks_.open ? verified : Named(verified));
  return true;
}

// The alert that tells the other end may be on its way: the socket is closed as
// by any end that closes first.
void TcpStream::FailHandshake(absl::Status why) {
  Records removed;
  MutexLock lock(mutex_);
  in_handshake_ = false;
  handshake_failed_ = true;
  queue_.DropAll(&removed);
  state_.StopReceiving();
  if (state_.Close(std::move(why))) PostOnClosed();
  socket_.WantWritable(false);
  socket_.ShutDownWriting();
  DisconnectLater();
}

std::shared_ptr<Stream> TcpStream::MakeHandle() {
  return std::make_shared<StreamHandle<TcpStream>>(shared_from_this());
}

// ---- sending ----------------------------------------------------------------

absl::Status TcpStream::Send(OutgoingMessage message) {
  const absl::Status limits = CheckEnvelopeLimits(message);
  // The payload's CRC is computed without the lock.
  const EnvelopePrefix prefix =
      limits.ok() ? EncodePrefix(message) : EnvelopePrefix();
  Records removed;
  MutexLock lock(mutex_);
  if (!state_.is_open()) {
    return absl::UnavailableError(
        absl::StrCat(other_end_, ": the stream has closed"));
  }
  absl::Status why = limits;
  const size_t bytes = EnvelopeBytes(message);
  if (why.ok()) {
    why = queue_.CheckRoom(other_end_, bytes,
                           options_.connection.max_queued_bytes);
  }
  if (!why.ok()) {
    CloseLocked(why, /*after_queue=*/false, &removed);
    return why;
  }
  OutgoingRecord out(prefix);
  out.AppendToHead(AsBytes(message.header));
  out.counted_bytes = bytes;
  out.payload = message.payload;
  out.payload_owner = std::move(message.payload_owner);
  queue_.Push(std::move(out));
  Flush(&removed);
  return absl::OkStatus();
}

void TcpStream::PushControl(TcpControl kind, uint64_t value, std::string text) {
  OutgoingMessage message;
  message.kind = static_cast<MessageKind>(kind);
  message.call_id = value;
  message.header = std::move(text);
  OutgoingRecord out(EncodePrefix(message));
  out.AppendToHead(AsBytes(message.header));
  queue_.Push(std::move(out));
}

void TcpStream::Flush(Records* removed) {
  const int fd = socket_.fd();
  if (fd < 0 || handshake_failed_) return;
  TlsConnection* const tls = tls_.get();
  if (in_handshake_) return socket_.WantWritable(!tls->Flush());
  bool taken = false;
  queue_.WriteBy(
      [fd, tls, &taken](absl::Span<iovec> pieces, int) {
        const ssize_t n =
            tls != nullptr ? tls->Write(pieces) : SendWithFd(fd, pieces, -1);
        taken = taken || n > 0;
        return n;
      },
      removed);
  if (taken) {
    const absl::Time now = SteadyClock().Now();
    signs_.Seen(now);
    for (const OutgoingRecord& record : *removed) {
      if (record.counted_bytes > 0) last_used_ = now;  // a message
    }
  }
  const bool all = (tls == nullptr || tls->Flush()) && queue_.empty();
  socket_.WantWritable(!all);
  if (state_.ShutDownIfIdle(all)) socket_.ShutDownWriting();
}

size_t TcpStream::queued_bytes() const {
  MutexLock lock(mutex_);
  return queue_.bytes();
}

absl::Time TcpStream::last_used() const {
  MutexLock lock(mutex_);
  return last_used_;
}

void TcpStream::OnWritable() {
  Records removed;
  MutexLock lock(mutex_);
  Flush(&removed);
}

// ---- receiving --------------------------------------------------------------

int TcpStream::socket_fd() const {
  MutexLock lock(mutex_);
  return socket_.fd();  // it is closed on the loop's thread only
}

bool TcpStream::receives() const {
  MutexLock lock(mutex_);
  return state_.receives();
}

void TcpStream::OnReadable() {
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const int fd = socket_fd();
    if (fd < 0) return;
    const bool more = in_handshake() ? ContinueHandshake()
                      : receives()   ? ReadMessages(fd)
                                     : DropBytes(fd);
    if (!more) return;
  }
  // The loop does not report bytes that TLS has read already.
  MutexLock lock(mutex_);
  if (tls_ == nullptr || !tls_->has_pending()) return;
  socket_.Post([self = shared_from_this()] { self->OnReadable(); });
}

ssize_t TcpStream::Read(int fd, absl::Span<iovec> pieces) {
  {
    MutexLock lock(mutex_);
    if (tls_ != nullptr) return tls_->Read(pieces);
  }
  return readv(fd, pieces.data(), static_cast<int>(pieces.size()));
}

bool TcpStream::ReadMessages(int fd) {
  const auto result = reader_.ReadFrom(
      [this, fd](absl::Span<iovec> pieces) { return Read(fd, pieces); }, *this);
  if (!result.ok()) {
    Close(Named(result.status()));
    return true;
  }
  if (*result == MessageReader::ReadResult::kNothing) return false;
  if (*result == MessageReader::ReadResult::kEnded) {
    Disconnect(WhyEnded(errno));
    return false;
  }
  MutexLock lock(mutex_);
  signs_.Seen(SteadyClock().Now());
  return *result == MessageReader::ReadResult::kPart;
}

absl::Status TcpStream::WhyEnded(int error) const {
  MutexLock lock(mutex_);
  if (tls_ != nullptr && !tls_->error().ok()) return Named(tls_->error());
  return absl::UnavailableError(
      absl::StrCat(other_end_, ": the connection ended", error == 0 ? "" : ": ",
                   error == 0 ? "" : std::strerror(error)));
}

// This end has closed and waits for the other one.
bool TcpStream::DropBytes(int fd) {
  const ssize_t n = recv(fd, nullptr, kDropAtOnce, MSG_TRUNC | MSG_DONTWAIT);
  if (n > 0 || (n < 0 && errno == EINTR)) return true;
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  Disconnect(absl::UnavailableError(
      absl::StrCat(other_end_, ": the connection ended")));
  return false;
}

PayloadRoom TcpStream::RoomFor(const IncomingMessage& message) {
  std::shared_ptr<StreamHandler> handler;
  {
    MutexLock lock(mutex_);
    if (state_.receives() && !IsTcpControl(message.kind())) handler = handler_;
  }
  return handler == nullptr ? PayloadRoom() : handler->RoomFor(message);
}

absl::Status TcpStream::TakeMessage(IncomingMessage& message) {
  if (IsTcpControl(message.kind())) return TakeControl(message);
  std::shared_ptr<StreamHandler> handler;
  {
    MutexLock lock(mutex_);
    if (!state_.receives()) return absl::OkStatus();
    handler = handler_;
    last_used_ = SteadyClock().Now();
  }
  if (handler == nullptr) {
    return absl::DataLossError(
        absl::StrCat("begins with ", MessageKindName(message.kind()),
                     ", not with the opening of a stream"));
  }
  if (callbacks_.read) {
    callbacks_.read(kEnvelopePrefixBytes + message.header().size() +
                    message.payload_size());
  }
  handler->OnMessage(message);
  return absl::OkStatus();
}

absl::Status TcpStream::TakeControl(const IncomingMessage& message) {
  if (message.payload_size() > 0) {
    return absl::DataLossError(absl::StrCat(MessageKindName(message.kind()),
                                            " of the transport has a payload"));
  }
  switch (static_cast<TcpControl>(message.kind())) {
    case TcpControl::kOpen:
      return TakeOpen(message);
    case TcpControl::kClose:
      return TakeClose(message);
    case TcpControl::kPing:
      AnswerPing();
      return absl::OkStatus();
    case TcpControl::kPong:
      return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(MessageKindName(message.kind()),
                                          " is none of the transport's"));
}

absl::Status TcpStream::TakeOpen(const IncomingMessage& message) {
  {
    MutexLock lock(mutex_);
    if (callbacks_.open == nullptr || handler_ != nullptr) {
      return absl::DataLossError("opens a stream that is open");
    }
    if (!state_.receives()) return absl::OkStatus();
    open_ = true;
  }
  if (message.call_id() > static_cast<uint64_t>(StreamMethod::kData)) {
    return absl::UnimplementedError(
        absl::StrCat("there is no method ", message.call_id()));
  }
  auto handler =
      callbacks_.open(*this, static_cast<StreamMethod>(message.call_id()));
  if (!handler.ok()) {
    Close(handler.status());
    return absl::OkStatus();
  }
  MutexLock lock(mutex_);
  // An acceptor may have closed the stream meanwhile: OnClosed waits for this.
  handler_ = *std::move(handler);
  return absl::OkStatus();
}

absl::Status TcpStream::TakeClose(const IncomingMessage& message) {
  if (message.call_id() >
          static_cast<uint64_t>(absl::StatusCode::kUnauthenticated) ||
      message.header().size() > kMaxTcpCloseText) {
    return absl::DataLossError(
        absl::StrCat("closes with status ", message.call_id(), " and ",
                     message.header().size(),
                     " bytes of text; allowed are 16 and ", kMaxTcpCloseText));
  }
  Disconnect(
      Named(absl::Status(static_cast<absl::StatusCode>(message.call_id()),
                         {message.header().data(), message.header().size()})));
  return absl::OkStatus();
}

// Bytes that wait already are a sign of life as well; so at most one answer
// waits.
void TcpStream::AnswerPing() {
  Records removed;
  MutexLock lock(mutex_);
  if (!state_.is_open() || !queue_.empty()) return;
  PushControl(TcpControl::kPong, 0, "");
  Flush(&removed);
}

absl::Status TcpStream::Named(const absl::Status& why) const {
  if (why.ok()) return why;
  return absl::Status(why.code(),
                      absl::StrCat(other_end_, ": ", why.message()));
}

// ---- closing ----------------------------------------------------------------

void TcpStream::Close(absl::Status why) {
  const bool after_queue = why.ok();
  CloseWith(std::move(why), after_queue);
}

void TcpStream::CloseAfterQueue(absl::Status why) {
  CloseWith(std::move(why), /*after_queue=*/true);
}

void TcpStream::CloseWith(absl::Status why, bool after_queue) {
  Records removed;
  MutexLock lock(mutex_);
  state_.StopReceiving();
  CloseLocked(std::move(why), after_queue, &removed);
}

// Queues kClose behind what is to be written still: a message that is
// written in part, and with `after_queue` all others.
void TcpStream::CloseLocked(absl::Status why, bool after_queue,
                            Records* removed) {
  if (!state_.Close(std::move(why))) return;
  if (!after_queue) queue_.DropUnstarted(removed);
  PushControl(TcpControl::kClose, static_cast<uint64_t>(state_.why().code()),
              std::string(state_.why().message().substr(0, kMaxTcpCloseText)));
  Flush(removed);
  PostOnClosed();
  DisconnectLater();
}

// In case that the other end does not close.
void TcpStream::DisconnectLater() {
  socket_.PostAfter(options_.connection.close_timeout,
                    [weak = weak_from_this()] {
                      if (const auto self = weak.lock())
                        self->Disconnect(absl::OkStatus());
                    });
}

void TcpStream::PostOnClosed() {
  socket_.Post([self = shared_from_this()] { self->CallOnClosed(); });
}

void TcpStream::CallOnClosed() {
  std::shared_ptr<StreamHandler> handler;
  absl::Status why;
  {
    MutexLock lock(mutex_);
    state_.StopReceiving();
    handler = std::exchange(handler_, nullptr);
    why = state_.why();
  }
  if (handler != nullptr) handler->OnClosed(why);
  reader_.Drop();
  {
    MutexLock lock(mutex_);
    on_closed_called_ = true;
  }
  EndIfDone();
}

// The other end has closed or is lost, or this one's time is over.
void TcpStream::Disconnect(absl::Status why) {
  Records removed;
  {
    MutexLock lock(mutex_);
    if (std::exchange(disconnected_, true)) return;
    queue_.DropAll(&removed);
    if (state_.Close(std::move(why))) PostOnClosed();
    state_.StopReceiving();
    socket_.Unwatch();
    // The acceptor's duplicate would keep the connection open.
    socket_.ShutDown();
    socket_.CloseUnlessWatched();
  }
  EndIfDone();
}

void TcpStream::EndIfDone() {
  {
    MutexLock lock(mutex_);
    if (!on_closed_called_ || !disconnected_ || std::exchange(ended_, true)) {
      return;
    }
    socket_.DetachFromLoop();
  }
  callbacks_.ended(*this);
}

void TcpStream::Break(absl::Status why) {
  MutexLock lock(mutex_);
  socket_.Post([self = shared_from_this(), why = std::move(why)] {
    self->Disconnect(why);
  });
}

bool TcpStream::Tick(absl::Time now) {
  Records removed;
  absl::Status why;
  bool open = false, old = false;
  {
    MutexLock lock(mutex_);
    old = now >= close_at_;
    open = open_ || now - created_ <= options_.open_timeout;
    if (!open) {
      why = absl::UnavailableError(
          absl::StrCat(other_end_, ": no stream within ",
                       absl::FormatDuration(options_.open_timeout)));
    } else {
      why = CheckSigns(now, &removed);
    }
  }
  if (!why.ok()) Break(why);
  if (old) {
    CloseAfterQueue(PlannedEnd(
        "the connection has reached its longest age; open the stream again "
        "over a new one"));
  }
  return open;
}

// Asks by a ping, unless something waits to be written: then that must move.
absl::Status TcpStream::CheckSigns(absl::Time now, Records* removed) {
  if (!open_) return absl::OkStatus();
  switch (signs_.At(now)) {
    case SignsOfLife::Due::kNothing:
      return absl::OkStatus();
    case SignsOfLife::Due::kLost:
      return absl::UnavailableError(
          absl::StrCat(other_end_, ": no sign of life for ",
                       absl::FormatDuration(signs_.SilentFor(now)),
                       ": nothing was read or written, a ping among it"));
    case SignsOfLife::Due::kAsk:
      break;
  }
  if (!state_.is_open() || !queue_.empty()) return absl::OkStatus();
  const SignsOfLife before = signs_;
  PushControl(TcpControl::kPing, 0, "");
  Flush(removed);
  signs_ = before;  // to write a ping is none
  return absl::OkStatus();
}

}  // namespace tributary
