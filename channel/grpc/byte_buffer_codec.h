// Messages as gRPC byte buffers, without a copy of the payload.
#ifndef TRIBUTARY_CHANNEL_GRPC_BYTE_BUFFER_CODEC_H_
#define TRIBUTARY_CHANNEL_GRPC_BYTE_BUFFER_CODEC_H_

#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/message.h"

namespace tributary {

// Prefix and header in one slice, the payload in another that refers to
// `message.payload` and holds its owner until gRPC has let go of the slice,
// which may be long after the write is done. Without an owner the payload is
// copied. Computes the CRCs.
grpc::ByteBuffer EncodeToByteBuffer(OutgoingMessage message);

// A message that lies in a byte buffer's slices.
class ReceivedMessage {
 public:
  // As DecodeMessage.
  static absl::StatusOr<ReceivedMessage> Decode(const grpc::ByteBuffer& buffer);
  IncomingMessage& message() { return *message_; }

 private:
  ReceivedMessage() = default;
  std::vector<grpc::Slice> slices_;
  std::unique_ptr<IncomingMessage> message_;  // refers to slices_
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_BYTE_BUFFER_CODEC_H_
