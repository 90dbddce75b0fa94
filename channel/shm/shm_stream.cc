#include "channel/shm/shm_stream.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "channel/envelope.h"
#include "channel/shm/record.h"
#include "channel/stream_handle.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int kReadsAtOnce = 16;  // then the loop's other sockets have a turn

// A trainer's slot as the server sees it. Calls `release` when nothing in this
// process can write into it any more.
class MappedRoom final : public SharedRoom {
 public:
  MappedRoom(MappedBytes mapped, std::function<void()> release)
      : mapped_(std::move(mapped)), release_(std::move(release)) {}
  ~MappedRoom() override { release_(); }
  absl::Span<uint8_t> bytes() override { return mapped_.bytes; }

 private:
  const MappedBytes mapped_;
  const std::function<void()> release_;
};

absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

ShmStream::ShmStream(Side side, UniqueFd socket, std::string other_end,
                     SocketLoop* loop,
                     std::shared_ptr<const SharedMemories> memories,
                     const ShmStreamOptions& options)
    : side_(side),
      other_end_(std::move(other_end)),
      options_(options),
      reader_(/*from_trainer=*/side == Side::kServer),
      peer_memories_(options.max_memory_bytes),
      socket_(std::move(socket), loop),
      lent_rooms_(std::move(memories)) {}

ShmStream::~ShmStream() = default;

std::shared_ptr<Stream> ShmStream::MakeHandle() {
  return std::make_shared<StreamHandle<ShmStream>>(shared_from_this());
}

void ShmStream::Start(std::shared_ptr<StreamHandler> handler) {
  bool watched = false;
  {
    MutexLock lock(mutex_);
    handler_ = std::move(handler);
    watched = socket_.Watch(shared_from_this());
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
  // The last reference queues kReleased, which is written with the message.
  returned.reset();
  Records removed;
  MutexLock lock(mutex_);
  Flush(&removed);
  return absl::OkStatus();
}

absl::Status ShmStream::Enqueue(OutgoingMessage message) {
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
    why = queue_.CheckRoom(other_end_, bytes, options_.max_queued_bytes);
  }
  if (!why.ok()) {
    CloseLocked(why, &removed);
    return why;
  }
  Record record{.kind = RecordKind::kMessage,
                .length = static_cast<uint32_t>(bytes)};
  const int fd = lent_rooms_.Lend(message.room, &record);
  OutgoingRecord out(RecordBytes(record));
  out.fd = fd;
  out.counted_bytes = bytes;
  out.head.reserve(out.head.size() + prefix.size() + message.header.size());
  out.AppendToHead(prefix);
  out.AppendToHead(AsBytes(message.header));
  out.payload = message.payload;
  out.payload_owner = std::move(message.payload_owner);
  queue_.Push(std::move(out));
  return absl::OkStatus();
}

void ShmStream::Flush(Records* removed) {
  queue_.WriteTo(socket_.fd(), removed);
  socket_.WantWritable(!queue_.empty());
  ShutDownIfIdle();
}

size_t ShmStream::queued_bytes() const {
  MutexLock lock(mutex_);
  return queue_.bytes();
}

void ShmStream::OnWritable() {
  Records removed;
  MutexLock lock(mutex_);
  Flush(&removed);
}

// A server's room is released by the last of its holders, on any thread, also
// after the stream has closed: then the socket's end tells the trainer.
void ShmStream::ReleaseRoom(uint64_t number) {
  Records removed;
  MutexLock lock(mutex_);
  state_.ReleaseRoom();
  if (state_.is_open()) {
    queue_.Push(OutgoingRecord(
        RecordBytes(Record{.kind = RecordKind::kReleased, .room = number})));
    return Flush(&removed);
  }
  ShutDownIfIdle();
  if (!state_.holds_rooms()) socket_.CloseUnlessWatched();
}

// ---- receiving --------------------------------------------------------------

int ShmStream::socket_fd() const {
  MutexLock lock(mutex_);
  return socket_.fd();  // while watched it is closed on the loop's thread only
}

void ShmStream::OnReadable() {
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const auto result = reader_.ReadFrom(socket_fd());
    if (result == RecordReader::ReadResult::kNothing) return;
    if (result == RecordReader::ReadResult::kEnded) {
      return Disconnect(absl::UnavailableError(absl::StrCat(
          other_end_, ": the process at the other end has ended")));
    }
    const absl::Status status = HandleRecords();
    if (!status.ok()) ReceiveFailed(status);
    if (result == RecordReader::ReadResult::kDrained) return;
  }
}

absl::Status ShmStream::HandleRecords() {
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<IncomingRecord> incoming,
                     reader_.Next());
    if (!incoming.has_value()) return absl::OkStatus();
    RETURN_IF_ERROR(Handle(*incoming));
  }
}

absl::Status ShmStream::Handle(const IncomingRecord& incoming) {
  switch (incoming.record.kind) {
    case RecordKind::kMessage:
      return HandleMessage(incoming);
    case RecordKind::kReleased:
      return HandleReleased(incoming.record.room);
    case RecordKind::kClose:
      HandleClose(absl::Status(
          static_cast<absl::StatusCode>(incoming.record.room),
          std::string(incoming.bytes.begin(), incoming.bytes.end())));
      return absl::OkStatus();
  }
  return absl::OkStatus();  // CheckRecord lets no other kind pass
}

absl::Status ShmStream::HandleMessage(const IncomingRecord& incoming) {
  std::shared_ptr<StreamHandler> handler;
  {
    MutexLock lock(mutex_);
    if (state_.receives()) handler = handler_;
  }
  if (handler == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::unique_ptr<DecodedMessage> message,
                   DecodeMessage({incoming.bytes}));
  if (incoming.record.room != 0) {
    ASSIGN_OR_RETURN(std::shared_ptr<SharedRoom> room,
                     MapRoom(incoming.record));
    if (room == nullptr) return absl::OkStatus();  // this end has closed
    message->set_room(std::move(room));
  }
  handler->OnMessage(*message);
  return absl::OkStatus();
}

// Returns null if this end has closed: its socket may be shut down already, and
// then the room belongs to the trainer again. This is checked where the room is
// counted, under the same lock.
absl::StatusOr<std::shared_ptr<SharedRoom>> ShmStream::MapRoom(
    const Record& record) {
  UniqueFd fd = record.has_fd == 1 ? reader_.TakeFd() : UniqueFd();
  ASSIGN_OR_RETURN(MappedBytes mapped,
                   peer_memories_.Map(record, std::move(fd)));
  {
    MutexLock lock(mutex_);
    if (!state_.HoldRoom()) return nullptr;
  }
  return std::make_shared<MappedRoom>(
      std::move(mapped), [self = shared_from_this(), number = record.room] {
        self->ReleaseRoom(number);
      });
}

absl::Status ShmStream::HandleReleased(uint64_t number) {
  absl::StatusOr<std::shared_ptr<SharedRoom>> room;  // destroyed unlocked
  MutexLock lock(mutex_);
  room = lent_rooms_.TakeBack(number);
  return room.status();
}

void ShmStream::HandleClose(absl::Status why) {
  Records removed;
  MutexLock lock(mutex_);
  if (!state_.Close(std::move(why))) return;
  state_.StopReceiving();
  queue_.DropUnstarted(&removed);
  PostOnClosed();
  ShutDownIfIdle();
}

void ShmStream::ReceiveFailed(const absl::Status& status) {
  reader_.DiscardAll();
  Close(absl::Status(status.code(),
                     absl::StrCat(other_end_, ": ", status.message())));
}

// ---- closing ----------------------------------------------------------------

void ShmStream::Close(absl::Status why) {
  Records removed;
  MutexLock lock(mutex_);
  state_.StopReceiving();
  CloseLocked(std::move(why), &removed);
}

// Queues kClose behind what is to be written still: everything after an orderly
// close, after an error only a record that is written in part.
void ShmStream::CloseLocked(absl::Status why, Records* removed) {
  if (!state_.Close(std::move(why))) return;
  if (!state_.why().ok()) queue_.DropUnstarted(removed);
  const absl::string_view text =
      state_.why().message().substr(0, kMaxCloseText);
  const Record record{.kind = RecordKind::kClose,
                      .length = static_cast<uint32_t>(text.size()),
                      .room = static_cast<uint64_t>(state_.why().code())};
  OutgoingRecord out(RecordBytes(record));
  out.AppendToHead(AsBytes(text));
  queue_.Push(std::move(out));
  Flush(removed);
  PostOnClosed();
  if (queue_.empty()) return;
  socket_.PostAfter(options_.linger,
                    [self = shared_from_this()] { self->EndLinger(); });
}

void ShmStream::PostOnClosed() {
  socket_.Post([self = shared_from_this()] { self->CallOnClosed(); });
}

void ShmStream::CallOnClosed() {
  std::shared_ptr<StreamHandler> handler;
  absl::Status why;
  {
    MutexLock lock(mutex_);
    state_.StopReceiving();
    handler = std::exchange(handler_, nullptr);
    why = state_.why();
  }
  if (handler != nullptr) handler->OnClosed(why);
}

// The other end, frozen perhaps, has not read what is left.
void ShmStream::EndLinger() {
  Records removed;
  MutexLock lock(mutex_);
  if (queue_.empty()) return;
  queue_.DropAll(&removed);
  Flush(&removed);
}

void ShmStream::ShutDownIfIdle() {
  if (state_.ShutDownIfIdle(queue_.empty())) socket_.ShutDownWriting();
}

void ShmStream::Break(absl::Status why) {
  Disconnect(std::move(why));
  MutexLock lock(mutex_);
  state_.StopReceiving();
  socket_.DetachFromLoop();
}

// Drops what is queued and takes all rooms back: the other process has closed
// its end or is dead, or the loop is about to end. A socket that proves to the
// other end that rooms are in use stays open until they are released.
void ShmStream::Disconnect(absl::Status why) {
  Records removed;
  std::vector<std::shared_ptr<SharedRoom>> returned;
  MutexLock lock(mutex_);
  returned = lent_rooms_.TakeBackAll();
  queue_.DropAll(&removed);
  if (state_.Close(std::move(why))) PostOnClosed();
  socket_.Unwatch();
  if (!state_.holds_rooms()) socket_.CloseUnlessWatched();
}

}  // namespace tributary
