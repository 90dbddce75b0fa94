// The messages that streams carry: a kind, a small protobuf header and a raw
// payload.
#ifndef TRIBUTARY_CHANNEL_MESSAGE_H_
#define TRIBUTARY_CHANNEL_MESSAGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tributary {

// The values are part of the wire format. Those from 0xff00 on are a
// transport's own and reach no handler.
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
  kWaitReport = 11,
  kCallError = 32,
  kDescribeRequest = 33,
  kDescribeReply = 34,
  kGetInputIdsRequest = 35,
  kGetInputIdsReply = 36,
  kSampleHopRequest = 37,
  kSampleHopReply = 38,
  kGatherRequest = 39,
  kGatherReply = 40,
  kQuestionRequest = 41,
  kQuestionReply = 42,
  kFarewellRequest = 43,
  kFarewellReply = 44,
  kOpenAttemptRequest = 45,
  kOpenAttemptReply = 46,
  kJoinAttemptRequest = 47,
  kJoinAttemptReply = 48,
  kCloseAttemptRequest = 49,
  kCloseAttemptReply = 50,
  kMeetRequest = 51,
  kMeetReply = 52,
  kCreateTensorRequest = 53,
  kCreateTensorReply = 54,
  kAttachOptimizerRequest = 55,
  kAttachOptimizerReply = 56,
  kDropTensorRequest = 57,
  kDropTensorReply = 58,
  kListTensorsRequest = 59,
  kListTensorsReply = 60,
  kReadRowsRequest = 61,
  kReadRowsReply = 62,
  kWriteRowsRequest = 63,
  kWriteRowsReply = 64,
  kPushRoundRequest = 65,
  kPushRoundReply = 66,
  kExportRowsRequest = 67,
  kExportRowsReply = 68,
  kImportRowsRequest = 69,
  kImportRowsReply = 70,
  kCopyTensorRequest = 71,
  kCopyTensorReply = 72,
  kSetRoundRequest = 73,
  kSetRoundReply = 74,
  kLocateNodesRequest = 80,
  kLocateNodesReply = 81,
  kLocateEdgesRequest = 82,
  kLocateEdgesReply = 83,
  kReadColumnRequest = 84,
  kReadColumnReply = 85,
  kFindEdgesRequest = 86,
  kFindEdgesReply = 87,
  kNodeDegreesRequest = 88,
  kNodeDegreesReply = 89,
  kGetGraphJsonRequest = 90,
  kGetGraphJsonReply = 91,
  kReadHotListRequest = 92,
  kReadHotListReply = 93,
  kStatusRequest = 94,
  kStatusReply = 95,
  kBatchTraceRequest = 96,
  kBatchTraceReply = 97,
};

// Returns the kind's name, for example "Credit", or "kind 77" for an unknown
// value.
std::string MessageKindName(MessageKind kind);

// The memory of one batch, lent by the trainer to the server: the trainer's
// receive slot, into which the server gathers the batch. It travels with a
// Credit through transports that can share memory (in process, shared memory);
// others deliver none, and the batch arrives in frames.
//
// An interface, because each end holds the loan in its own way: the trainer's
// keeps its slot from reuse, the server's maps the memory. Everything in the
// server that may still write into the room holds a reference; releasing the
// last one, on any thread, ends the loan.
class SharedRoom {
 public:
  virtual ~SharedRoom() = default;
  // The credit's max_bytes bytes, 64-byte aligned.
  virtual absl::Span<uint8_t> bytes() = 0;
};

// A message to be sent.
struct OutgoingMessage {
  MessageKind kind{};
  uint64_t call_id = 0;  // 0 on batch streams
  std::string header;    // serialized protobuf
  // Not copied: the transport reads it, perhaps on another thread, until it
  // releases `payload_owner`. Must not change until then.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
  // The room that a Credit lends to the server, or that the server's answer
  // gives back; the server must not write into it any more then.
  std::shared_ptr<SharedRoom> room;
};

// A message that has arrived. The header's CRC, which covers kind and sizes
// too, has been checked; the payload's has not. Valid only during OnMessage.
class IncomingMessage {
 public:
  virtual ~IncomingMessage() = default;
  virtual MessageKind kind() const = 0;
  virtual uint64_t call_id() const = 0;
  virtual std::string_view header() const = 0;
  virtual size_t payload_size() const = 0;
  // Copies the payload to `to` (payload_size() bytes) and checks its CRC while
  // copying. Returns DATA_LOSS if it is wrong: the caller breaks the stream.
  // Call at most once.
  virtual absl::Status CopyPayload(absl::Span<uint8_t> to) = 0;
  // The room that came with the message; null if there is none.
  virtual std::shared_ptr<SharedRoom> room() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MESSAGE_H_
