// The bytes of a message on a wire: prefix, header, payload. docs/protocol.md
// has the layout.
#ifndef TRIBUTARY_CHANNEL_ENVELOPE_H_
#define TRIBUTARY_CHANNEL_ENVELOPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/message.h"

namespace tributary {

// "TRIB" as the first four bytes read; integers are little-endian.
inline constexpr uint32_t kEnvelopeMagic = 0x42495254;
// The only version that this build sends and accepts.
inline constexpr uint16_t kWireVersion = 2;

inline constexpr size_t kEnvelopePrefixBytes = 32;
inline constexpr size_t kMaxHeaderBytes = size_t{1} << 20;
// The payload of a Frame: a batch's room is cut into such pieces.
inline constexpr size_t kMaxFrameBytes = size_t{1} << 20;
// Of any payload: replies to peers are cut by the caller's max_reply_bytes,
// which is at most this.
inline constexpr size_t kMaxPayloadBytes = size_t{4} << 20;
inline constexpr size_t kMaxEnvelopeBytes =
    kEnvelopePrefixBytes + kMaxHeaderBytes + kMaxPayloadBytes;

using EnvelopePrefix = std::array<uint8_t, kEnvelopePrefixBytes>;

inline size_t EnvelopeBytes(const OutgoingMessage& message) {
  return kEnvelopePrefixBytes + message.header.size() + message.payload.size();
}

// FAILED_PRECONDITION, naming both, unless `version`, which the other end sent,
// is kWireVersion.
absl::Status CheckWireVersion(uint32_t version);

// INVALID_ARGUMENT when header or payload is beyond its limit.
absl::Status CheckEnvelopeLimits(const OutgoingMessage& message);

// The first bytes of `message`, which CheckEnvelopeLimits has passed; header
// and payload follow as they are. Reads the whole payload for its CRC: call it
// as the message is written, while that helps the copy to the socket.
EnvelopePrefix EncodePrefix(const OutgoingMessage& message);

// The message whose bytes are the concatenation of `slices`, which must outlive
// it. Checks everything but the payload's CRC, which CopyPayload checks.
// DATA_LOSS: damaged, cut or too long; FAILED_PRECONDITION: a wire version that
// this build does not speak. Reads no byte before its size is checked.
absl::StatusOr<std::unique_ptr<IncomingMessage>> DecodeMessage(
    absl::Span<const absl::Span<const uint8_t>> slices);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_ENVELOPE_H_
