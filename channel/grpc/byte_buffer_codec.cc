#include "channel/grpc/byte_buffer_codec.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "channel/envelope.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Owner = std::shared_ptr<const void>;

// Prefix and header of a message whose owner counts its memory.
struct Head {
  std::string bytes;
  Owner owner;
};

grpc::Slice HeadSlice(const OutgoingMessage& message, Owner owner) {
  const EnvelopePrefix prefix = EncodePrefix(message);
  auto head = std::make_unique<Head>();
  head->bytes.reserve(prefix.size() + message.header.size());
  head->bytes.append(prefix.begin(), prefix.end());
  head->bytes += message.header;
  head->owner = std::move(owner);
  Head* const held = head.release();  // the slice's
  return grpc::Slice(
      held->bytes.data(), held->bytes.size(),
      [](void* head) { delete static_cast<Head*>(head); }, held);
}

grpc::Slice PayloadSlice(absl::Span<const uint8_t> payload, Owner owner) {
  if (owner == nullptr) return grpc::Slice(payload.data(), payload.size());
  // gRPC does not write to slices that it sends.
  return grpc::Slice(
      const_cast<uint8_t*>(payload.data()), payload.size(),
      [](void* held) { delete static_cast<Owner*>(held); },
      new Owner(std::move(owner)));
}

}  // namespace

// Both slices keep the owner: it is released when the network has taken both.
grpc::ByteBuffer EncodeToByteBuffer(OutgoingMessage message) {
  grpc::Slice slices[2] = {HeadSlice(message, message.payload_owner)};
  if (message.payload.empty()) return grpc::ByteBuffer(slices, 1);
  slices[1] = PayloadSlice(message.payload, std::move(message.payload_owner));
  return grpc::ByteBuffer(slices, 2);
}

absl::StatusOr<ReceivedMessage> ReceivedMessage::Decode(
    const grpc::ByteBuffer& buffer) {
  ReceivedMessage received;
  const grpc::Status dumped = buffer.Dump(&received.slices_);
  if (!dumped.ok()) {
    return absl::DataLossError("gRPC message: " + dumped.error_message());
  }
  absl::InlinedVector<absl::Span<const uint8_t>, 24> spans;
  for (const grpc::Slice& slice : received.slices_) {
    spans.emplace_back(slice.begin(), slice.size());
  }
  ASSIGN_OR_RETURN(received.message_, DecodeMessage(spans));
  return received;
}

}  // namespace tributary
