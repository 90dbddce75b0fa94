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

struct Prefix {
  MessageKind kind;
  uint64_t call_id;
  size_t header_bytes;
  size_t payload_bytes;
  uint32_t payload_crc;
  uint32_t header_crc;
};

absl::Status CheckMagic(const EnvelopePrefix& bytes) {
  const auto magic = Load<uint32_t>(&bytes[kMagicAt]);
  if (magic == kEnvelopeMagic) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "message begins with ", absl::Hex(magic, absl::kZeroPad8), ", not with ",
      absl::Hex(kEnvelopeMagic, absl::kZeroPad8), ": not a Tributary message"));
}

absl::Status CheckSizes(const Prefix& prefix, size_t bytes_after_prefix) {
  if (prefix.header_bytes > kMaxHeaderBytes ||
      prefix.payload_bytes > kMaxPayloadBytes) {
    return absl::DataLossError(
        absl::StrCat(MessageKindName(prefix.kind), " claims a header of ",
                     prefix.header_bytes, " bytes (at most ", kMaxHeaderBytes,
                     ") and a payload of ", prefix.payload_bytes, " (at most ",
                     kMaxPayloadBytes, ")"));
  }
  if (prefix.header_bytes + prefix.payload_bytes != bytes_after_prefix) {
    return absl::DataLossError(
        absl::StrCat(MessageKindName(prefix.kind), " claims ",
                     prefix.header_bytes, " + ", prefix.payload_bytes,
                     " bytes after its prefix but has ", bytes_after_prefix));
  }
  return absl::OkStatus();
}

Prefix ReadPrefix(const EnvelopePrefix& bytes) {
  Prefix prefix;
  prefix.kind = static_cast<MessageKind>(Load<uint16_t>(&bytes[kKindAt]));
  prefix.call_id = Load<uint64_t>(&bytes[kCallIdAt]);
  prefix.header_bytes = Load<uint32_t>(&bytes[kHeaderBytesAt]);
  prefix.payload_bytes = Load<uint32_t>(&bytes[kPayloadBytesAt]);
  prefix.payload_crc = Load<uint32_t>(&bytes[kPayloadCrcAt]);
  prefix.header_crc = Load<uint32_t>(&bytes[kHeaderCrcAt]);
  return prefix;
}

uint32_t HeaderCrc(const EnvelopePrefix& prefix, std::string_view header) {
  const uint32_t crc = Crc32c(Bytes(prefix.data(), kHeaderCrcAt));
  return ExtendCrc32c(crc, AsBytes(header));
}

// Reads the header, whose CRC covers the prefix, too.
absl::Status ReadHeader(const EnvelopePrefix& bytes, const Prefix& prefix,
                        SliceReader* reader, std::string* header) {
  RETURN_IF_ERROR(CheckSizes(prefix, reader->remaining()));
  header->resize(prefix.header_bytes);
  reader->Copy(reinterpret_cast<uint8_t*>(header->data()), header->size());
  const uint32_t crc = HeaderCrc(bytes, *header);
  if (crc == prefix.header_crc) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("header of ", MessageKindName(prefix.kind), ": CRC32C is ",
                   absl::Hex(crc, absl::kZeroPad8), ", should be ",
                   absl::Hex(prefix.header_crc, absl::kZeroPad8)));
}

class EnvelopeMessage final : public DecodedMessage {
 public:
  EnvelopeMessage(const Prefix& prefix, std::string header, SliceReader payload)
      : prefix_(prefix),
        header_(std::move(header)),
        payload_(std::move(payload)) {}

  MessageKind kind() const override { return prefix_.kind; }
  uint64_t call_id() const override { return prefix_.call_id; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return prefix_.payload_bytes; }
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
    if (crc == prefix_.payload_crc) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        "payload of ", MessageKindName(kind()), ", ", payload_size(),
        " bytes: CRC32C is ", absl::Hex(crc, absl::kZeroPad8), ", should be ",
        absl::Hex(prefix_.payload_crc, absl::kZeroPad8)));
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

  const Prefix prefix_;
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

absl::StatusOr<std::unique_ptr<DecodedMessage>> DecodeMessage(
    absl::Span<const absl::Span<const uint8_t>> slices) {
  SliceReader reader(slices);
  if (reader.remaining() < kEnvelopePrefixBytes) {
    return absl::DataLossError(absl::StrCat(
        "message of ", reader.remaining(),
        " bytes is shorter than its prefix of ", kEnvelopePrefixBytes));
  }
  EnvelopePrefix bytes;
  reader.Copy(bytes.data(), bytes.size());
  RETURN_IF_ERROR(CheckMagic(bytes));
  const Prefix prefix = ReadPrefix(bytes);
  std::string header;
  const absl::Status intact = ReadHeader(bytes, prefix, &reader, &header);
  // A damaged version must not make a server another one's: that is final.
  const absl::Status version =
      CheckWireVersion(Load<uint16_t>(&bytes[kVersionAt]));
  if (!intact.ok() && !version.ok()) {
    return absl::DataLossError(absl::StrCat(
        version.message(), ", or the message is damaged: ", intact.message()));
  }
  RETURN_IF_ERROR(intact);
  RETURN_IF_ERROR(version);
  return std::make_unique<EnvelopeMessage>(prefix, std::move(header),
                                           std::move(reader));
}

}  // namespace tributary
