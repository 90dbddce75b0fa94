#include "channel/envelope.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/text/status.h"

namespace tributary {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the envelope is little-endian and stored as it is");

template <typename T>
T Load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <typename T>
void Store(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(value));
}

// The offset of each field of the prefix.
constexpr size_t kMagicAt = 0;
constexpr size_t kVersionAt = 4;
constexpr size_t kKindAt = 6;
constexpr size_t kCallIdAt = 8;
constexpr size_t kHeaderBytesAt = 16;
constexpr size_t kPayloadBytesAt = 20;
constexpr size_t kPayloadCrcAt = 24;
constexpr size_t kHeaderCrcAt = 28;

using Bytes = absl::Span<const uint8_t>;

Bytes AsBytes(std::string_view text) {
  return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// Reads a list of slices from the beginning. Callers check remaining() first,
// so that no read goes past the end.
class SliceReader {
 public:
  explicit SliceReader(absl::Span<const Bytes> slices)
      : slices_(slices.begin(), slices.end()) {
    for (const Bytes slice : slices_) remaining_ += slice.size();
  }

  size_t remaining() const { return remaining_; }

  // Returns the next 1 to n bytes, as many as are contiguous. Requires
  // 0 < n <= remaining().
  Bytes Next(size_t n) {
    while (slices_[at_].empty()) ++at_;
    const Bytes piece = slices_[at_].first(std::min(n, slices_[at_].size()));
    slices_[at_].remove_prefix(piece.size());
    remaining_ -= piece.size();
    return piece;
  }

  // Requires n <= remaining().
  void Copy(uint8_t* to, size_t n) {
    while (n > 0) {
      const Bytes piece = Next(n);
      std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
      n -= piece.size();
    }
  }

 private:
  absl::InlinedVector<Bytes, 24> slices_;  // 17 make a MiB from gRPC
  size_t at_ = 0;
  size_t remaining_ = 0;
};

absl::Status CheckMagic(const EnvelopePrefix& bytes) {
  const auto magic = Load<uint32_t>(&bytes[kMagicAt]);
  if (magic == kEnvelopeMagic) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "message begins with ", absl::Hex(magic, absl::kZeroPad8), ", not with ",
      absl::Hex(kEnvelopeMagic, absl::kZeroPad8), ": not a Tributary message"));
}

absl::Status CheckLimits(const EnvelopeHead& head) {
  if (head.header_bytes <= kMaxHeaderBytes &&
      head.payload_bytes <= kMaxPayloadBytes) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(
      MessageKindName(head.kind), " claims a header of ", head.header_bytes,
      " bytes (at most ", kMaxHeaderBytes, ") and a payload of ",
      head.payload_bytes, " (at most ", kMaxPayloadBytes, ")"));
}

absl::Status CheckSizes(const EnvelopeHead& head, size_t bytes_after_prefix) {
  if (head.header_bytes + head.payload_bytes == bytes_after_prefix) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat(MessageKindName(head.kind), " claims ", head.header_bytes,
                   " + ", head.payload_bytes,
                   " bytes after its prefix but has ", bytes_after_prefix));
}

EnvelopeHead HeadOf(const EnvelopePrefix& prefix) {
  EnvelopeHead head;
  head.kind = static_cast<MessageKind>(Load<uint16_t>(&prefix[kKindAt]));
  head.call_id = Load<uint64_t>(&prefix[kCallIdAt]);
  head.header_bytes = Load<uint32_t>(&prefix[kHeaderBytesAt]);
  head.payload_bytes = Load<uint32_t>(&prefix[kPayloadBytesAt]);
  head.payload_crc = Load<uint32_t>(&prefix[kPayloadCrcAt]);
  return head;
}

uint32_t HeaderCrc(const EnvelopePrefix& prefix, std::string_view header) {
  const uint32_t crc = Crc32c(Bytes(prefix.data(), kHeaderCrcAt));
  return ExtendCrc32c(crc, AsBytes(header));
}

absl::Status CheckHeaderCrc(const EnvelopePrefix& prefix,
                            std::string_view header) {
  const uint32_t crc = HeaderCrc(prefix, header);
  const auto expected = Load<uint32_t>(&prefix[kHeaderCrcAt]);
  if (crc == expected) return absl::OkStatus();
  const auto kind = static_cast<MessageKind>(Load<uint16_t>(&prefix[kKindAt]));
  return absl::DataLossError(
      absl::StrCat("header of ", MessageKindName(kind), ": CRC32C is ",
                   absl::Hex(crc, absl::kZeroPad8), ", should be ",
                   absl::Hex(expected, absl::kZeroPad8)));
}

// Returns what `intact`, the check of everything but the version, means. A
// damaged version must not make a server another one's: that is final.
absl::Status WithVersion(const EnvelopePrefix& prefix,
                         const absl::Status& intact) {
  const absl::Status version =
      CheckWireVersion(Load<uint16_t>(&prefix[kVersionAt]));
  if (!intact.ok() && !version.ok()) {
    return absl::DataLossError(absl::StrCat(
        version.message(), ", or the message is damaged: ", intact.message()));
  }
  return intact.ok() ? version : intact;
}

class EnvelopeMessage final : public DecodedMessage {
 public:
  EnvelopeMessage(const EnvelopeHead& head, std::string header,
                  SliceReader payload)
      : head_(head), header_(std::move(header)), payload_(std::move(payload)) {}

  MessageKind kind() const override { return head_.kind; }
  uint64_t call_id() const override { return head_.call_id; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return head_.payload_bytes; }
  std::shared_ptr<SharedRoom> room() const override { return room_; }
  void set_room(std::shared_ptr<SharedRoom> room) override {
    room_ = std::move(room);
  }

  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    RETURN_IF_ERROR(CheckDestination(to.size()));
    uint32_t crc = 0;
    uint8_t* at = to.data();
    while (payload_.remaining() > 0) {
      const Bytes piece = payload_.Next(payload_.remaining());
      crc = CopyWithCrc32c(crc, piece, at);
      at += piece.size();
    }
    return CheckPayloadCrc(head_, crc);
  }

 private:
  absl::Status CheckDestination(size_t size) const {
    if (size == payload_size() && payload_.remaining() == size) {
      return absl::OkStatus();
    }
    return absl::InternalError(
        absl::StrCat("payload of ", MessageKindName(kind()), ": copy of ", size,
                     " bytes asked for, ", payload_.remaining(),
                     " are left of ", payload_size()));
  }

  const EnvelopeHead head_;
  const std::string header_;
  SliceReader payload_;
  std::shared_ptr<SharedRoom> room_;
};

}  // namespace

absl::Status CheckWireVersion(uint32_t version) {
  if (version == kWireVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the other end speaks wire version ", version,
                   "; this build speaks ", kWireVersion));
}

absl::Status CheckEnvelopeLimits(const OutgoingMessage& message) {
  if (message.header.size() <= kMaxHeaderBytes &&
      message.payload.size() <= kMaxPayloadBytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      MessageKindName(message.kind), " has a header of ", message.header.size(),
      " bytes (at most ", kMaxHeaderBytes, ") and a payload of ",
      message.payload.size(), " (at most ", kMaxPayloadBytes, ")"));
}

EnvelopePrefix EncodePrefix(const OutgoingMessage& message) {
  EnvelopePrefix prefix;
  Store<uint32_t>(&prefix[kMagicAt], kEnvelopeMagic);
  Store<uint16_t>(&prefix[kVersionAt], kWireVersion);
  Store<uint16_t>(&prefix[kKindAt], static_cast<uint16_t>(message.kind));
  Store<uint64_t>(&prefix[kCallIdAt], message.call_id);
  Store<uint32_t>(&prefix[kHeaderBytesAt],
                  static_cast<uint32_t>(message.header.size()));
  Store<uint32_t>(&prefix[kPayloadBytesAt],
                  static_cast<uint32_t>(message.payload.size()));
  Store<uint32_t>(&prefix[kPayloadCrcAt], Crc32c(message.payload));
  Store<uint32_t>(&prefix[kHeaderCrcAt], HeaderCrc(prefix, message.header));
  return prefix;
}

absl::StatusOr<EnvelopeHead> ReadEnvelopePrefix(const EnvelopePrefix& prefix) {
  RETURN_IF_ERROR(CheckMagic(prefix));
  const EnvelopeHead head = HeadOf(prefix);
  RETURN_IF_ERROR(CheckLimits(head));
  return head;
}

absl::Status CheckEnvelopeHeader(const EnvelopePrefix& prefix,
                                 std::string_view header) {
  return WithVersion(prefix, CheckHeaderCrc(prefix, header));
}

absl::Status CheckPayloadCrc(const EnvelopeHead& head, uint32_t crc) {
  if (crc == head.payload_crc) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "payload of ", MessageKindName(head.kind), ", ", head.payload_bytes,
      " bytes: CRC32C is ", absl::Hex(crc, absl::kZeroPad8), ", should be ",
      absl::Hex(head.payload_crc, absl::kZeroPad8)));
}

absl::StatusOr<std::unique_ptr<DecodedMessage>> DecodeMessage(
    absl::Span<const absl::Span<const uint8_t>> slices) {
  SliceReader reader(slices);
  if (reader.remaining() < kEnvelopePrefixBytes) {
    return absl::DataLossError(absl::StrCat(
        "message of ", reader.remaining(),
        " bytes is shorter than its prefix of ", kEnvelopePrefixBytes));
  }
  EnvelopePrefix prefix;
  reader.Copy(prefix.data(), prefix.size());
  RETURN_IF_ERROR(CheckMagic(prefix));
  const EnvelopeHead head = HeadOf(prefix);
  absl::Status intact = CheckLimits(head);
  if (intact.ok()) intact = CheckSizes(head, reader.remaining());
  std::string header;
  if (intact.ok()) {
    header.resize(head.header_bytes);
    reader.Copy(reinterpret_cast<uint8_t*>(header.data()), header.size());
    intact = CheckHeaderCrc(prefix, header);
  }
  RETURN_IF_ERROR(WithVersion(prefix, intact));
  return std::make_unique<EnvelopeMessage>(head, std::move(header),
                                           std::move(reader));
}

}  // namespace tributary
