// Encodes messages as gRPC byte buffers without copying the payload, and
// decodes them.
#ifndef TRIBUTARY_CHANNEL_GRPC_BYTE_BUFFER_CODEC_H_
#define TRIBUTARY_CHANNEL_GRPC_BYTE_BUFFER_CODEC_H_

#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/message.h"

namespace tributary {

// Returns a buffer with prefix and header in one slice and the payload in
// another, which refers to `message.payload` and keeps its owner until gRPC
// releases the slice; that may be long after the write is done. A payload
// without an owner is copied. Computes the CRCs.
grpc::ByteBuffer EncodeToByteBuffer(OutgoingMessage message);

// A decoded message together with the byte buffer's slices that it refers to.
class ReceivedMessage {
 public:
  // Returns the errors of DecodeMessage.
  static absl::StatusOr<ReceivedMessage> Decode(const grpc::ByteBuffer& buffer);
  IncomingMessage& message() { return *message_; }

 private:
  ReceivedMessage() = default;
  std::vector<grpc::Slice> slices_;
  std::unique_ptr<IncomingMessage> message_;  // refers to slices_
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_BYTE_BUFFER_CODEC_H_
