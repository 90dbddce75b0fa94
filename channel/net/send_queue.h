// The records that one end of a stream has still to write.
#ifndef TRIBUTARY_CHANNEL_NET_SEND_QUEUE_H_
#define TRIBUTARY_CHANNEL_NET_SEND_QUEUE_H_

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tributary {

// One record to be written: first `head`, then `payload`.
struct OutgoingRecord {
  explicit OutgoingRecord(absl::Span<const uint8_t> begin) {
    AppendToHead(begin);
  }

  void AppendToHead(absl::Span<const uint8_t> bytes);
  size_t size() const { return head.size() + payload.size(); }

  std::vector<uint8_t> head;
  absl::Span<const uint8_t> payload;  // not copied; kept by `payload_owner`
  std::shared_ptr<const void> payload_owner;
  // Sent with the record's first byte; -1: none. Whoever pushes the record
  // keeps the descriptor open until the record has left the queue.
  int fd = -1;
  size_t counted_bytes = 0;  // the record's share of SendQueue::bytes()
};

// A first-in first-out queue of records, written to a non-blocking socket as
// far as the socket takes them. It has no limit of its own: the stream calls
// CheckRoom before it pushes a message.
//
// Not thread-safe: the stream calls it with its lock held. Records that leave
// the queue are moved to a vector of the caller, which destroys them without
// the lock, because a payload's owner may run any code when it is destroyed.
class SendQueue {
 public:
  using Records = std::vector<OutgoingRecord>;

  // Returns RESOURCE_EXHAUSTED, in the name of `other_end`, if `bytes` more
  // would be above `max_queued_bytes`.
  absl::Status CheckRoom(const std::string& other_end, size_t bytes,
                         size_t max_queued_bytes) const;
  void Push(OutgoingRecord record);

  // Writes until the queue is empty or the socket takes no more, and moves the
  // records that are written completely to `*removed`. If the other end is
  // gone, also removes the records that are not begun; reading the socket
  // reports the error. `socket` is -1 after the socket was closed: does
  // nothing.
  void WriteTo(int socket, Records* removed);
  // The same, by a function that writes as sendmsg does: sets errno to EAGAIN
  // where no more is taken now. `fd` goes with the first byte; -1: none.
  using Write = absl::FunctionRef<ssize_t(absl::Span<iovec> pieces, int fd)>;
  void WriteBy(Write write, Records* removed);

  // Removes the records of which no byte has been written. A record written in
  // part stays, so that the other end does not read a cut one.
  void DropUnstarted(Records* removed);
  // Removes all records.
  void DropAll(Records* removed);

  bool empty() const { return entries_.empty(); }
  // The sum of `counted_bytes` of the queued records; a record counts in full
  // until its last byte is written.
  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    OutgoingRecord record;
    size_t written = 0;  // bytes of head and payload
  };

  ssize_t SendFront(Write write) const;
  void Advance(size_t bytes, Records* removed);

  std::deque<Entry> entries_;
  size_t bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_SEND_QUEUE_H_
