#include "channel/grpc/byte_buffer_codec.h"

#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "channel/envelope.h"
#include "common/text/status.h"

namespace tributary {
namespace {

grpc::Slice HeadSlice(const OutgoingMessage& message) {
  const EnvelopePrefix prefix = EncodePrefix(message);
  grpc::Slice slice(prefix.size() + message.header.size());
  auto* const to =
      const_cast<uint8_t*>(slice.begin());  // ours until it is sent
  std::memcpy(to, prefix.data(), prefix.size());
  std::memcpy(to + prefix.size(), message.header.data(), message.header.size());
  return slice;
}

using Owner = std::shared_ptr<const void>;

grpc::Slice PayloadSlice(absl::Span<const uint8_t> payload, Owner owner) {
  if (owner == nullptr) return grpc::Slice(payload.data(), payload.size());
  // gRPC does not write to slices that it sends.
  return grpc::Slice(
      const_cast<uint8_t*>(payload.data()), payload.size(),
      [](void* held) { delete static_cast<Owner*>(held); },
      new Owner(std::move(owner)));
}

}  // namespace

grpc::ByteBuffer EncodeToByteBuffer(OutgoingMessage message) {
  grpc::Slice slices[2] = {HeadSlice(message)};
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
