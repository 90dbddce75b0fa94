// What comes over the socket: records, descriptors, the end.
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/message_with_room.h"
#include "channel/shm/fd_message.h"
#include "channel/shm/shm_stream.h"
#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kReadAtLeast = size_t{64} << 10;
constexpr int kReadsAtOnce = 16;  // then others have a turn

}  // namespace

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

void ShmStream::OnReadable() {
  for (int i = 0; i < kReadsAtOnce; ++i) {
    bool more = true;
    if (!ReadSome(&more)) return;
    const absl::Status status = HandleRecords();
    if (!status.ok()) {
      in_is_foul_ = true;
      Owners dropped;
      MutexLock lock(mutex_);
      CloseLocked(absl::Status(status.code(), absl::StrCat(other_end_, ": ",
                                                           status.message())),
                  /*own=*/true, &dropped);
    }
    if (!more) return;
  }
}

// False when there was nothing, for now or for ever. `*more`: there may be
// more; what comes behind less than there was room for, the loop tells of
// again.
bool ShmStream::ReadSome(bool* more) {
  if (in_begin_ == in_end_) in_begin_ = in_end_ = 0;
  if (in_.size() < in_end_ + kReadAtLeast) in_.resize(in_end_ + kReadAtLeast);
  int socket = -1;
  {
    MutexLock lock(mutex_);
    socket = socket_.get();  // closed on this thread alone while it is watched
  }
  UniqueFd fd;
  const ssize_t n =
      ReceiveWithFd(socket, in_.data() + in_end_, in_.size() - in_end_, &fd);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) {
    EndOfSocket();
    return false;
  }
  *more = in_end_ + static_cast<size_t>(n) == in_.size();
  in_end_ += static_cast<size_t>(n);
  if (fd.valid()) fds_.push_back(std::move(fd));
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

}  // namespace tributary
