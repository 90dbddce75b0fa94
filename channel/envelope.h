// The encoding of a message on a wire: a 32-byte prefix with CRCs, the header
// (a serialized protobuf), the payload. docs/protocol.md has the layout.
#ifndef TRIBUTARY_CHANNEL_ENVELOPE_H_
#define TRIBUTARY_CHANNEL_ENVELOPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/message.h"

namespace tributary {

// The first four bytes read "TRIB"; integers are little-endian.
inline constexpr uint32_t kEnvelopeMagic = 0x42495254;
// The only version that this build sends and accepts.
inline constexpr uint16_t kWireVersion = 2;

inline constexpr size_t kEnvelopePrefixBytes = 32;
inline constexpr size_t kMaxHeaderBytes = size_t{1} << 20;
// Limit of a Frame's payload: a batch is sent in pieces of at most this size.
inline constexpr size_t kMaxFrameBytes = size_t{1} << 20;
// Limit of any payload: replies to peers are cut by the caller's
// max_reply_bytes, which is at most this.
inline constexpr size_t kMaxPayloadBytes = size_t{4} << 20;
inline constexpr size_t kMaxEnvelopeBytes =
    kEnvelopePrefixBytes + kMaxHeaderBytes + kMaxPayloadBytes;

using EnvelopePrefix = std::array<uint8_t, kEnvelopePrefixBytes>;

// Returns the size of the message on the wire.
inline size_t EnvelopeBytes(const OutgoingMessage& message) {
  return kEnvelopePrefixBytes + message.header.size() + message.payload.size();
}

// Returns FAILED_PRECONDITION, naming both, unless `version`, which the other
// end sent, is kWireVersion.
absl::Status CheckWireVersion(uint32_t version);

// Returns INVALID_ARGUMENT if header or payload is larger than its limit.
absl::Status CheckEnvelopeLimits(const OutgoingMessage& message);

// Returns the first bytes of `message`; its header and payload follow them
// unchanged. Requires a message that CheckEnvelopeLimits has passed. Reads the
// whole payload for its CRC: call it just before the message is written, when
// having the payload in the cache speeds up the copy to the socket.
EnvelopePrefix EncodePrefix(const OutgoingMessage& message);

// The description of a message that its prefix holds.
struct EnvelopeHead {
  MessageKind kind{};
  uint64_t call_id = 0;
  size_t header_bytes = 0;
  size_t payload_bytes = 0;
  uint32_t payload_crc = 0;
};

// The three steps of reading a message as its bytes arrive, for a transport
// that reads the payload to where it stays.
//
// ReadEnvelopePrefix returns DATA_LOSS if no message begins like this or it
// claims to be longer than any; the sizes are to be trusted for memory only as
// far as bytes have arrived.
absl::StatusOr<EnvelopeHead> ReadEnvelopePrefix(const EnvelopePrefix& prefix);
// Returns DATA_LOSS if prefix or header is damaged, FAILED_PRECONDITION for an
// intact message of another wire version. Requires a header of header_bytes.
absl::Status CheckEnvelopeHeader(const EnvelopePrefix& prefix,
                                 std::string_view header);
// Returns DATA_LOSS unless `crc` (CRC32C) is that of the payload.
absl::Status CheckPayloadCrc(const EnvelopeHead& head, uint32_t crc);

// A message that arrived as an envelope. A transport that can carry rooms adds
// the room that came with it before it hands the message to the handler.
class DecodedMessage : public IncomingMessage {
 public:
  virtual void set_room(std::shared_ptr<SharedRoom> room) = 0;
};

// Decodes the message whose bytes are the concatenation of `slices`, whose
// bytes must outlive it. Checks everything but the payload's CRC, which
// CopyPayload checks, and reads no byte before its size is checked. Returns
// DATA_LOSS if the bytes are damaged, cut or too long, and FAILED_PRECONDITION
// for an intact message of a wire version that this build does not speak: every
// version has this prefix.
absl::StatusOr<std::unique_ptr<DecodedMessage>> DecodeMessage(
    absl::Span<const absl::Span<const uint8_t>> slices);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_ENVELOPE_H_
