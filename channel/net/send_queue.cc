#include "channel/net/send_queue.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/net/fd_message.h"

namespace tributary {
namespace {

constexpr size_t kRecordsAtOnce = 16;  // in one sendmsg

}  // namespace

void OutgoingRecord::AppendToHead(absl::Span<const uint8_t> bytes) {
  head.insert(head.end(), bytes.begin(), bytes.end());
}

absl::Status SendQueue::CheckRoom(const std::string& other_end, size_t bytes,
                                  size_t max_queued_bytes) const {
  if (bytes_ + bytes <= max_queued_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      other_end, ": ", bytes_, " bytes wait on the stream, ", bytes,
      " more are over max_queued_bytes=", max_queued_bytes));
}

void SendQueue::Push(OutgoingRecord record) {
  bytes_ += record.counted_bytes;
  entries_.push_back({std::move(record)});
}

void SendQueue::WriteTo(int socket, Records* removed) {
  if (socket < 0) return;
  WriteBy([socket](absl::Span<iovec> pieces,
                   int fd) { return SendWithFd(socket, pieces, fd); },
          removed);
}

void SendQueue::WriteBy(Write write, Records* removed) {
  while (!entries_.empty()) {
    const ssize_t n = SendFront(write);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) return DropUnstarted(removed);  // the other end is gone
    Advance(static_cast<size_t>(n), removed);
  }
}

// Returns the result of one write of as many records as it may hold. Only the
// first of them may have a descriptor: it goes with the call's first byte.
ssize_t SendQueue::SendFront(Write write) const {
  iovec pieces[2 * kRecordsAtOnce];
  size_t n = 0;
  const auto add = [&](absl::Span<const uint8_t> bytes) {
    if (bytes.empty()) return;
    pieces[n++] = {const_cast<uint8_t*>(bytes.data()), bytes.size()};
  };
  const size_t records = std::min(entries_.size(), kRecordsAtOnce);
  for (size_t i = 0; i < records; ++i) {
    const OutgoingRecord& record = entries_[i].record;
    if (i > 0 && record.fd >= 0) break;
    const size_t written = entries_[i].written;
    const size_t of_head = std::min(written, record.head.size());
    add(absl::MakeConstSpan(record.head).subspan(of_head));
    add(record.payload.subspan(written - of_head));
  }
  const Entry& front = entries_.front();
  return write(absl::MakeSpan(pieces, n),
               front.written == 0 ? front.record.fd : -1);
}

void SendQueue::Advance(size_t bytes, Records* removed) {
  while (bytes > 0) {
    Entry& front = entries_.front();
    const size_t of_front =
        std::min(bytes, front.record.size() - front.written);
    bytes -= of_front;
    front.written += of_front;
    if (front.written < front.record.size()) return;
    bytes_ -= front.record.counted_bytes;
    removed->push_back(std::move(front.record));
    entries_.pop_front();
  }
}

void SendQueue::DropUnstarted(Records* removed) {
  while (!entries_.empty() && entries_.back().written == 0) {
    bytes_ -= entries_.back().record.counted_bytes;
    removed->push_back(std::move(entries_.back().record));
    entries_.pop_back();
  }
}

void SendQueue::DropAll(Records* removed) {
  for (Entry& entry : entries_) removed->push_back(std::move(entry.record));
  entries_.clear();
  bytes_ = 0;
}

}  // namespace tributary
