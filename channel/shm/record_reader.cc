#include "channel/shm/record_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "channel/net/fd_message.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kReadAtLeast = size_t{64} << 10;

}  // namespace

RecordReader::ReadResult RecordReader::ReadFrom(int socket) {
  MakeRoom();
  UniqueFd fd;
  const ssize_t n =
      ReceiveWithFd(socket, buffer_.data() + end_, buffer_.size() - end_, &fd);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return ReadResult::kNothing;
  }
  if (n < 0 && errno == EINTR) return ReadResult::kPart;
  if (n <= 0) return ReadResult::kEnded;
  end_ += static_cast<size_t>(n);
  if (fd.valid()) fds_.push_back(std::move(fd));
  const bool filled = end_ == buffer_.size();
  if (discards_all_) Drop();
  return filled ? ReadResult::kPart : ReadResult::kDrained;
}

// Moves an incomplete record to the front, where its rest fits behind it.
void RecordReader::MakeRoom() {
  if (begin_ > 0 && begin_ < end_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
  }
  end_ -= std::exchange(begin_, 0);
  const size_t wanted = std::max(end_ + kReadAtLeast, incomplete_bytes_);
  if (buffer_.size() < wanted) buffer_.resize(wanted);
}

absl::StatusOr<std::optional<IncomingRecord>> RecordReader::Next() {
  if (fds_.size() > kMaxMemories) {
    return absl::DataLossError("descriptors without records");
  }
  incomplete_bytes_ = 0;
  if (buffered() < sizeof(Record)) return std::nullopt;
  IncomingRecord next;
  std::memcpy(&next.record, buffer_.data() + begin_, sizeof(Record));
  RETURN_IF_ERROR(CheckRecord(next.record, from_trainer_));
  const size_t whole = sizeof(Record) + next.record.length;
  if (buffered() < whole) {
    incomplete_bytes_ = whole;
    return std::nullopt;
  }
  next.bytes = absl::MakeConstSpan(buffer_).subspan(begin_ + sizeof(Record),
                                                    next.record.length);
  begin_ += whole;
  return next;
}

UniqueFd RecordReader::TakeFd() {
  if (fds_.empty()) return UniqueFd();
  UniqueFd fd = std::move(fds_.front());
  fds_.pop_front();
  return fd;
}

void RecordReader::DiscardAll() {
  discards_all_ = true;
  Drop();
}

void RecordReader::Drop() {
  begin_ = end_ = incomplete_bytes_ = 0;
  fds_.clear();
}

}  // namespace tributary
