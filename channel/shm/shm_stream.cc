#include "channel/shm/shm_stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "channel/envelope.h"
#include "channel/shm/fd_message.h"
#include "channel/stream_handle.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kRecordsAtOnce = 16;

template <typename T>
absl::Span<const uint8_t> BytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof(value)};
}

void Append(absl::Span<const uint8_t> bytes, std::vector<uint8_t>* to) {
  to->insert(to->end(), bytes.begin(), bytes.end());
}

}  // namespace

ShmStream::ShmStream(Side side, UniqueFd socket, std::string other_end,
                     SocketLoop* loop,
                     std::shared_ptr<const SharedMemories> memories,
                     const ShmStreamOptions& options)
    : side_(side),
      other_end_(std::move(other_end)),
      memories_(std::move(memories)),
      options_(options),
      loop_(loop),
      socket_(std::move(socket)) {}

ShmStream::~ShmStream() = default;

std::shared_ptr<Stream> ShmStream::MakeHandle() {
  return std::make_shared<StreamHandle<ShmStream>>(shared_from_this());
}

void ShmStream::Start(std::shared_ptr<StreamHandler> handler) {
  bool watched = true;
  {
    MutexLock lock(mutex_);
    handler_ = std::move(handler);
    if (loop_ != nullptr && socket_.valid()) {
      watched_ = watched = loop_->Add(socket_.get(), shared_from_this());
      if (watched && wants_writable_) {
        loop_->WantWritable(socket_.get(), true);
      }
    }
  }
  if (!watched) {
    Break(absl::ResourceExhaustedError(
        absl::StrCat(other_end_, ": the system watches no more sockets")));
  }
}

void ShmStream::Refuse(const absl::Status& why) {
  Close(why);
  Start(nullptr);
}

// ---- sending ----------------------------------------------------------------

absl::Status ShmStream::Send(OutgoingMessage message) {
  std::shared_ptr<SharedRoom> returned;
  if (side_ == Side::kServer) returned = std::move(message.room);
  RETURN_IF_ERROR(Enqueue(std::move(message)));
  returned.reset();  // the last of it queues Released, which goes out with it
  Owners done;
  MutexLock lock(mutex_);
  Flush(&done);
  return absl::OkStatus();
}

absl::Status ShmStream::Enqueue(OutgoingMessage message) {
  const absl::Status limits = CheckEnvelopeLimits(message);
  const EnvelopePrefix prefix =
      limits.ok() ? EncodePrefix(message) : EnvelopePrefix();
  Owners done;
  MutexLock lock(mutex_);
  if (closed_) {
    return absl::UnavailableError(
        absl::StrCat(other_end_, ": the stream has closed"));
  }
  if (!limits.ok()) {
    CloseLocked(limits, /*own=*/false, &done);
    return limits;
  }
  const size_t bytes = EnvelopeBytes(message);
  if (queued_bytes_ + bytes > options_.max_queued_bytes) {
    auto why = absl::ResourceExhaustedError(absl::StrCat(
        other_end_, ": ", queued_bytes_, " bytes wait on the stream, ", bytes,
        " more are over max_queued_bytes=", options_.max_queued_bytes));
    CloseLocked(why, /*own=*/false, &done);
    return why;
  }
  Outgoing out;
  out.counted = bytes;
  out.head.reserve(sizeof(Record) + prefix.size() + message.header.size());
  AddRoom(message, &out);
  Append(prefix, &out.head);
  out.head.insert(out.head.end(), message.header.begin(), message.header.end());
  out.payload = message.payload;
  out.payload_owner = std::move(message.payload_owner);
  Queue(std::move(out));
  return absl::OkStatus();
}

// The record. Without a shared memory around the room the batch comes in
// frames.
void ShmStream::AddRoom(OutgoingMessage& message, Outgoing* out) {
  Record record{.kind = RecordKind::kMessage,
                .length = static_cast<uint32_t>(EnvelopeBytes(message))};
  std::shared_ptr<SharedMemory> memory;
  if (message.room != nullptr && memories_ != nullptr) {
    memory = memories_->Holding(message.room->bytes());
  }
  if (memory != nullptr) {
    auto told = std::find(told_.begin(), told_.end(), memory);
    if (told == told_.end() && told_.size() < kMaxMemories) {
      out->fd = memory->fd();
      record.has_fd = 1;
      told = told_.insert(told_.end(), memory);
    }
    if (told != told_.end()) {
      const absl::Span<uint8_t> room = message.room->bytes();
      record.memory = static_cast<uint32_t>(told - told_.begin());
      record.offset =
          static_cast<uint64_t>(room.data() - memory->bytes().data());
      record.bytes = room.size();
      record.room = next_room_++;
      lent_[record.room] = std::move(message.room);
    }
  }
  Append(BytesOf(record), &out->head);
}

void ShmStream::Queue(Outgoing out) {
  queued_bytes_ += out.counted;
  queue_.push_back(std::move(out));
}

void ShmStream::Flush(Owners* done) {
  while (!queue_.empty() && socket_.valid()) {
    const ssize_t n = SendFront();
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) {  // the other end is gone: what is read will say so
      DropQueue(done);
      break;
    }
    Sent(static_cast<size_t>(n), done);
  }
  if (wants_writable_ != !queue_.empty()) {
    wants_writable_ = !queue_.empty();
    if (watched_) loop_->WantWritable(socket_.get(), wants_writable_);
  }
  ShutIfDone();
}

// A descriptor goes with the first byte of its record.
ssize_t ShmStream::SendFront() {
  iovec pieces[2 * kRecordsAtOnce];
  size_t n = 0;
  const auto add = [&](absl::Span<const uint8_t> bytes) {
    if (bytes.empty()) return;
    pieces[n++] = {const_cast<uint8_t*>(bytes.data()), bytes.size()};
  };
  const size_t records = std::min(queue_.size(), kRecordsAtOnce);
  for (size_t i = 0; i < records; ++i) {
    const Outgoing& out = queue_[i];
    if (i > 0 && out.fd >= 0) break;
    const size_t of_head = std::min(out.written, out.head.size());
    add(absl::MakeConstSpan(out.head).subspan(of_head));
    add(out.payload.subspan(out.written - of_head));
  }
  const Outgoing& front = queue_.front();
  return SendWithFd(socket_.get(), absl::MakeSpan(pieces, n),
                    front.written == 0 ? front.fd : -1);
}

void ShmStream::Sent(size_t bytes, Owners* done) {
  while (bytes > 0) {
    Outgoing& front = queue_.front();
    const size_t of_front = std::min(bytes, front.size() - front.written);
    bytes -= of_front;
    front.written += of_front;
    if (front.written < front.size()) return;
    queued_bytes_ -= front.counted;
    done->push_back(std::move(front));
    queue_.pop_front();
  }
}

// But for what has been sent in part, which would end in the middle.
void ShmStream::DropQueue(Owners* dropped) {
  while (!queue_.empty() && queue_.back().written == 0) {
    queued_bytes_ -= queue_.back().counted;
    dropped->push_back(std::move(queue_.back()));
    queue_.pop_back();
  }
}

size_t ShmStream::queued_bytes() const {
  MutexLock lock(mutex_);
  return queued_bytes_;
}

void ShmStream::OnWritable() {
  Owners done;
  MutexLock lock(mutex_);
  Flush(&done);
}

void ShmStream::RoomReleased(uint64_t room) {
  Owners done;
  MutexLock lock(mutex_);
  --rooms_held_;
  if (!closed_) {
    const Record record{.kind = RecordKind::kReleased, .room = room};
    Outgoing out;
    Append(BytesOf(record), &out.head);
    Queue(std::move(out));
    Flush(&done);
    return;
  }
  ShutIfDone();
  if (rooms_held_ == 0 && !watched_) socket_.Reset();
}

// ---- the end ----------------------------------------------------------------

void ShmStream::Close(absl::Status why) {
  Owners dropped;
  MutexLock lock(mutex_);
  CloseLocked(std::move(why), /*own=*/true, &dropped);
}

void ShmStream::CloseLocked(absl::Status why, bool own, Owners* dropped) {
  deaf_ |= own;
  if (std::exchange(closed_, true)) return;
  why_ = std::move(why);
  if (!why_.ok()) DropQueue(dropped);
  const absl::string_view text = why_.message().substr(0, kMaxCloseText);
  const Record record{.kind = RecordKind::kClose,
                      .length = static_cast<uint32_t>(text.size()),
                      .room = static_cast<uint64_t>(why_.code())};
  Outgoing out;
  Append(BytesOf(record), &out.head);
  out.head.insert(out.head.end(), text.begin(), text.end());
  Queue(std::move(out));
  Flush(dropped);
  PostClosed();
  if (queue_.empty() || loop_ == nullptr) return;
  loop_->PostAfter(options_.linger,
                   [self = shared_from_this()] { self->LingerIsOver(); });
}

void ShmStream::PostClosed() {
  if (loop_ == nullptr) return;
  loop_->Post([self = shared_from_this()] { self->TellClosed(); });
}

void ShmStream::TellClosed() {
  std::shared_ptr<StreamHandler> handler;
  absl::Status why;
  {
    MutexLock lock(mutex_);
    deaf_ = true;
    handler = std::exchange(handler_, nullptr);
    why = why_;
  }
  if (handler != nullptr) handler->OnClosed(why);
}

// The other end, frozen perhaps, does not take what is left.
void ShmStream::LingerIsOver() {
  std::deque<Outgoing> dropped;
  Owners none;
  MutexLock lock(mutex_);
  if (queue_.empty()) return;
  TakeQueue(&dropped);
  Flush(&none);
}

void ShmStream::ShutIfDone() {
  if (!closed_ || shut_ || !queue_.empty() || rooms_held_ > 0) return;
  shut_ = true;
  if (socket_.valid()) shutdown(socket_.get(), SHUT_WR);
}

void ShmStream::Unwatch() {
  if (std::exchange(watched_, false)) loop_->Remove(socket_.get());
  if (rooms_held_ == 0) socket_.Reset();
}

// Nothing will come any more: the other process has closed its end, or is dead.
void ShmStream::EndOfSocket() {
  LetGo(absl::UnavailableError(
      absl::StrCat(other_end_, ": the process at the other end has ended")));
}

void ShmStream::Break(absl::Status why) {
  LetGo(std::move(why));
  MutexLock lock(mutex_);
  deaf_ = true;
  loop_ = nullptr;
}

// Of all that the other end had or was to have; it is told no more.
void ShmStream::LetGo(absl::Status why) {
  std::deque<Outgoing> dropped;
  std::map<uint64_t, std::shared_ptr<SharedRoom>> returned;
  MutexLock lock(mutex_);
  returned.swap(lent_);
  TakeQueue(&dropped);
  if (!std::exchange(closed_, true)) {
    why_ = std::move(why);
    PostClosed();
  }
  if (loop_ != nullptr) Unwatch();
}

void ShmStream::TakeQueue(std::deque<Outgoing>* to) {
  to->swap(queue_);
  queued_bytes_ = 0;
}

}  // namespace tributary
