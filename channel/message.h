// What streams carry: a kind, a small protobuf header, a raw payload.
#ifndef TRIBUTARY_CHANNEL_MESSAGE_H_
#define TRIBUTARY_CHANNEL_MESSAGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tributary {

// The values are part of the wire format.
enum class MessageKind : uint16_t {
  kOpenSession = 1,
  kCredit = 2,
  kCancel = 3,
  kReturned = 4,
  kFrame = 5,
  kReady = 6,
  kNeeds = 7,
  kBatchError = 8,
  kUnknownSession = 9,
  kProgress = 10,
  kCallError = 32,
  kDescribeRequest = 33,
  kDescribeReply = 34,
  kGetInputIdsRequest = 35,
  kGetInputIdsReply = 36,
  kSampleHopRequest = 37,
  kSampleHopReply = 38,
  kGatherRequest = 39,
  kGatherReply = 40,
  kAskKindRequest = 41,
  kAskKindReply = 42,
  kFarewellRequest = 43,
  kFarewellReply = 44,
};

// "Credit", or "kind 77" for a value that is none.
std::string MessageKindName(MessageKind kind);

// The room of a batch when trainer and server share a process: the trainer's
// own slot, into which the server gathers. It travels beside a Credit through
// the in-process transport; over a network there is none.
class SharedRoom {
 public:
  virtual ~SharedRoom() = default;
  // As long as the credit's max_bytes; 64-byte aligned.
  virtual absl::Span<uint8_t> bytes() = 0;
};

// A message to be sent.
struct OutgoingMessage {
  MessageKind kind{};
  uint64_t call_id = 0;  // 0 on batch streams
  std::string header;    // serialized protobuf
  // Read by the transport, perhaps on another thread, until it lets go of
  // `payload_owner`; not changed until then.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
  // Beside a Credit: lent. Beside a server's answer: the server's own, given
  // back with it; who sends it writes no more.
  std::shared_ptr<SharedRoom> room;
};

// A message that has arrived: kind, sizes and header have been checked against
// the header's CRC, the payload not yet. Valid only during OnMessage.
class IncomingMessage {
 public:
  virtual ~IncomingMessage() = default;
  virtual MessageKind kind() const = 0;
  virtual uint64_t call_id() const = 0;
  virtual std::string_view header() const = 0;
  virtual size_t payload_size() const = 0;
  // Copies the payload to `to` (payload_size() bytes) and checks its CRC as it
  // goes. DATA_LOSS when it is wrong: break the stream. At most once.
  virtual absl::Status CopyPayload(absl::Span<uint8_t> to) = 0;
  virtual std::shared_ptr<SharedRoom> room() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MESSAGE_H_
