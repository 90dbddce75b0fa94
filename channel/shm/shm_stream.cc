#include "channel/shm/shm_stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "channel/envelope.h"
#include "common/buffer.h"
#include "common/status.h"

namespace tributary {
namespace {

constexpr size_t kReadAtLeast = size_t{64} << 10;
constexpr int kReadsAtOnce = 16;  // then others have a turn

class UserEnd final : public Stream {
 public:
  explicit UserEnd(std::shared_ptr<ShmStream> stream)
      : stream_(std::move(stream)) {}
  ~UserEnd() override {
    stream_->Close(absl::CancelledError("the stream was dropped"));
  }
  absl::Status Send(OutgoingMessage message) override {
    return stream_->Send(std::move(message));
  }
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

 private:
  const std::shared_ptr<ShmStream> stream_;
};

// A decoded envelope, and the room that came beside it.
class MessageWithRoom final : public IncomingMessage {
 public:
  MessageWithRoom(std::unique_ptr<IncomingMessage> message,
                  std::shared_ptr<SharedRoom> room)
      : message_(std::move(message)), room_(std::move(room)) {}
  MessageKind kind() const override { return message_->kind(); }
  uint64_t call_id() const override { return message_->call_id(); }
  std::string_view header() const override { return message_->header(); }
  size_t payload_size() const override { return message_->payload_size(); }
  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    return message_->CopyPayload(to);
  }
  std::shared_ptr<SharedRoom> room() const override { return room_; }

 private:
  const std::unique_ptr<IncomingMessage> message_;
  const std::shared_ptr<SharedRoom> room_;
};

template <typename T>
absl::Span<const uint8_t> BytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof(value)};
}

void Append(absl::Span<const uint8_t> bytes, std::vector<uint8_t>* to) {
  to->insert(to->end(), bytes.begin(), bytes.end());
}

// Space for one descriptor, beside some of a record.
union OneFd {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int))];
};

void AttachFd(int fd, OneFd* space, msghdr* message) {
  std::memset(space, 0, sizeof(*space));
  message->msg_control = space->bytes;
  message->msg_controllen = sizeof(space->bytes);
  cmsghdr* const header = CMSG_FIRSTHDR(message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
}

}  // namespace

// A record on its way out: head, then payload.
struct ShmStream::Outgoing {
  std::vector<uint8_t> head;
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
  int fd = -1;         // goes with the first byte; its memory is in told_
  size_t counted = 0;  // of queued_bytes_
  size_t written = 0;

  size_t size() const { return head.size() + payload.size(); }
};

// A trainer's slot, as the server sees it.
class MappedRoom final : public SharedRoom {
 public:
  MappedRoom(std::shared_ptr<ShmStream> stream, uint64_t room,
             std::shared_ptr<SharedMemory> memory, absl::Span<uint8_t> bytes)
      : stream_(std::move(stream)),
        room_(room),
        memory_(std::move(memory)),
        bytes_(bytes) {}
  ~MappedRoom() override { stream_->RoomReleased(room_); }
  absl::Span<uint8_t> bytes() override { return bytes_; }

 private:
  const std::shared_ptr<ShmStream> stream_;
  const uint64_t room_;
  const std::shared_ptr<SharedMemory> memory_;
  const absl::Span<uint8_t> bytes_;
};

void SharedMemories::Add(std::shared_ptr<SharedMemory> memory) {
  MutexLock lock(mutex_);
  std::erase_if(memories_, [](const auto& weak) { return weak.expired(); });
  memories_.push_back(std::move(memory));
}

std::shared_ptr<SharedMemory> SharedMemories::Holding(
    absl::Span<const uint8_t> bytes) const {
  MutexLock lock(mutex_);
  for (const auto& weak : memories_) {
    std::shared_ptr<SharedMemory> memory = weak.lock();
    if (memory == nullptr) continue;
    const absl::Span<uint8_t> whole = memory->bytes();
    if (bytes.data() >= whole.data() &&
        bytes.data() + bytes.size() <= whole.data() + whole.size()) {
      return memory;
    }
  }
  return nullptr;
}

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
  return std::make_shared<UserEnd>(shared_from_this());
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
  Flush(&done);
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
    Outgoing& front = queue_.front();
    const size_t of_head = std::min(front.written, front.head.size());
    const size_t of_payload = front.written - of_head;
    iovec pieces[2] = {
        {front.head.data() + of_head, front.head.size() - of_head},
        {const_cast<uint8_t*>(front.payload.data()) + of_payload,
         front.payload.size() - of_payload}};
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = 2;
    OneFd space;
    if (front.fd >= 0 && front.written == 0) {
      AttachFd(front.fd, &space, &message);
    }
    const ssize_t n =
        sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) {  // the other end is gone: what is read will say so
      DropQueue(done);
      break;
    }
    front.written += static_cast<size_t>(n);
    if (front.written < front.size()) continue;
    queued_bytes_ -= front.counted;
    done->push_back(std::move(front));
    queue_.pop_front();
  }
  if (wants_writable_ != !queue_.empty()) {
    wants_writable_ = !queue_.empty();
    if (watched_) loop_->WantWritable(socket_.get(), wants_writable_);
  }
  ShutIfDone();
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

// ---- receiving --------------------------------------------------------------

void ShmStream::OnReadable() {
  for (int i = 0; i < kReadsAtOnce; ++i) {
    if (!ReadSome()) return;
    const absl::Status status = HandleRecords();
    if (status.ok()) continue;
    in_is_foul_ = true;
    Owners dropped;
    MutexLock lock(mutex_);
    CloseLocked(absl::Status(status.code(),
                             absl::StrCat(other_end_, ": ", status.message())),
                /*own=*/true, &dropped);
  }
}

// False when there is no more for now, or for ever.
bool ShmStream::ReadSome() {
  if (in_begin_ == in_end_) in_begin_ = in_end_ = 0;
  if (in_.size() < in_end_ + kReadAtLeast) in_.resize(in_end_ + kReadAtLeast);
  int socket = -1;
  {
    MutexLock lock(mutex_);
    socket = socket_.get();  // closed on this thread alone while it is watched
  }
  iovec piece = {in_.data() + in_end_, in_.size() - in_end_};
  OneFd space;
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = space.bytes;
  message.msg_controllen = sizeof(space.bytes);
  const ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) {
    EndOfSocket();
    return false;
  }
  in_end_ += static_cast<size_t>(n);
  const cmsghdr* const control = CMSG_FIRSTHDR(&message);
  if (control != nullptr && control->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(control), sizeof(fd));
    fds_.emplace_back(fd);
  }
  return true;
}

absl::Status ShmStream::HandleRecords() {
  if (in_is_foul_) {
    in_begin_ = in_end_;
    fds_.clear();
    return absl::OkStatus();
  }
  if (fds_.size() > kMaxMemories) {
    return absl::DataLossError("descriptors without records");
  }
  while (in_end_ - in_begin_ >= sizeof(Record)) {
    Record record;
    std::memcpy(&record, in_.data() + in_begin_, sizeof(record));
    RETURN_IF_ERROR(CheckRecord(record, side_ == Side::kServer));
    const size_t whole = sizeof(record) + record.length;
    if (in_end_ - in_begin_ < whole) {
      // What has come goes to the front, where the rest has room after it.
      std::memmove(in_.data(), in_.data() + in_begin_, in_end_ - in_begin_);
      in_end_ -= std::exchange(in_begin_, 0);
      if (in_.size() < whole) in_.resize(whole);
      return absl::OkStatus();
    }
    const auto bytes = absl::MakeConstSpan(in_).subspan(
        in_begin_ + sizeof(record), record.length);
    in_begin_ += whole;
    RETURN_IF_ERROR(Handle(record, bytes));
  }
  return absl::OkStatus();
}

absl::Status ShmStream::Handle(const Record& record,
                               absl::Span<const uint8_t> bytes) {
  if (record.kind == RecordKind::kMessage) return HandleMessage(record, bytes);
  std::shared_ptr<SharedRoom> released;  // without the lock
  Owners dropped;
  if (record.kind == RecordKind::kReleased) {
    MutexLock lock(mutex_);
    const auto it = lent_.find(record.room);
    if (it == lent_.end()) {
      return absl::DataLossError("a room is returned that was not lent");
    }
    released = std::move(it->second);
    lent_.erase(it);
    return absl::OkStatus();
  }
  MutexLock lock(mutex_);
  if (closed_) return absl::OkStatus();
  closed_ = deaf_ = true;
  why_ = absl::Status(static_cast<absl::StatusCode>(record.room),
                      std::string(bytes.begin(), bytes.end()));
  DropQueue(&dropped);
  PostClosed();
  ShutIfDone();
  return absl::OkStatus();
}

absl::Status ShmStream::HandleMessage(const Record& record,
                                      absl::Span<const uint8_t> bytes) {
  std::shared_ptr<StreamHandler> handler;
  {
    MutexLock lock(mutex_);
    if (!deaf_) handler = handler_;
  }
  if (handler == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<IncomingMessage> decoded,
                   DecodeMessage({bytes}));
  ASSIGN_OR_RETURN(std::shared_ptr<SharedRoom> room, MapRoom(record));
  if (record.room != 0 && room == nullptr) return absl::OkStatus();
  MessageWithRoom message(std::move(decoded), std::move(room));
  handler->OnMessage(message);
  return absl::OkStatus();
}

// Null without a room, and when this end has closed: its socket may have ended
// already, and then the room is the trainer's again. So that is looked at where
// the room is counted, not before.
absl::StatusOr<std::shared_ptr<SharedRoom>> ShmStream::MapRoom(
    const Record& record) {
  if (record.room == 0) return nullptr;
  if (record.has_fd == 1) {
    if (fds_.empty() || mapped_.contains(record.memory)) {
      return absl::DataLossError("a memory without a descriptor, or twice");
    }
    UniqueFd fd = std::move(fds_.front());
    fds_.pop_front();
    ASSIGN_OR_RETURN(
        mapped_[record.memory],
        SharedMemory::Map(std::move(fd), options_.max_memory_bytes));
  }
  const auto it = mapped_.find(record.memory);
  if (it == mapped_.end()) {
    return absl::DataLossError("a room in a memory that was not sent");
  }
  const absl::Span<uint8_t> whole = it->second->bytes();
  if (record.offset > whole.size() ||
      record.bytes > whole.size() - record.offset ||
      record.offset % kCacheLine != 0) {
    return absl::DataLossError(
        absl::StrCat("a room at ", record.offset, " of ", record.bytes,
                     " bytes in a memory of ", whole.size()));
  }
  {
    MutexLock lock(mutex_);
    if (closed_) return nullptr;
    ++rooms_held_;
  }
  return std::make_shared<MappedRoom>(
      shared_from_this(), record.room, it->second,
      whole.subspan(record.offset, record.bytes));
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
  Owners dropped;
  MutexLock lock(mutex_);
  if (queue_.empty()) return;
  queued_bytes_ = 0;
  for (Outgoing& out : queue_) dropped.push_back(std::move(out));
  queue_.clear();
  Flush(&dropped);
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
  Owners dropped;
  std::map<uint64_t, std::shared_ptr<SharedRoom>> returned;
  MutexLock lock(mutex_);
  returned.swap(lent_);
  if (!std::exchange(closed_, true)) {
    why_ = absl::UnavailableError(
        absl::StrCat(other_end_, ": the process at the other end has ended"));
    PostClosed();
  }
  for (Outgoing& out : queue_) dropped.push_back(std::move(out));
  queue_.clear();
  queued_bytes_ = 0;
  Unwatch();
}

void ShmStream::Break(absl::Status why) {
  Owners dropped;
  std::map<uint64_t, std::shared_ptr<SharedRoom>> returned;
  MutexLock lock(mutex_);
  returned.swap(lent_);
  deaf_ = true;
  if (!std::exchange(closed_, true)) {
    why_ = std::move(why);
    PostClosed();
  }
  for (Outgoing& out : queue_) dropped.push_back(std::move(out));
  queue_.clear();
  queued_bytes_ = 0;
  if (loop_ != nullptr) Unwatch();
  loop_ = nullptr;
}

}  // namespace tributary
