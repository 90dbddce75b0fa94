#include "channel/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "channel/parse_header.h"
#include "common/hash/crc32c.h"
#include "common/proto/wire.pb.h"

namespace tributary {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using Bytes = absl::Span<const uint8_t>;

Bytes AsBytes(std::string_view text) {
  return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

std::vector<uint8_t> Encode(const OutgoingMessage& message) {
  const EnvelopePrefix prefix = EncodePrefix(message);
  std::vector<uint8_t> bytes(prefix.begin(), prefix.end());
  bytes.insert(bytes.end(), message.header.begin(), message.header.end());
  bytes.insert(bytes.end(), message.payload.begin(), message.payload.end());
  return bytes;
}

OutgoingMessage Example() {
  OutgoingMessage message;
  message.kind = MessageKind::kFrame;
  message.call_id = 0x0102030405060708;
  message.header = "head";
  message.payload = AsBytes("payload!");
  return message;
}

// Made by an independent program (struct.pack and a bitwise CRC).
const std::vector<uint8_t> kExampleBytes = {
    0x54, 0x52, 0x49, 0x42, 0x02, 0x00, 0x05, 0x00, 0x08, 0x07, 0x06,
    0x05, 0x04, 0x03, 0x02, 0x01, 0x04, 0x00, 0x00, 0x00, 0x08, 0x00,
    0x00, 0x00, 0xe8, 0xe9, 0xc7, 0xf1, 0xda, 0x46, 0x51, 0x59, 0x68,
    0x65, 0x61, 0x64, 0x70, 0x61, 0x79, 0x6c, 0x6f, 0x61, 0x64, 0x21};
const std::vector<uint8_t> kEmptyDescribeBytes = {
    0x54, 0x52, 0x49, 0x42, 0x02, 0x00, 0x21, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x15, 0x28, 0x44, 0x92};

absl::StatusOr<std::unique_ptr<IncomingMessage>> DecodeOne(const Bytes& bytes) {
  return DecodeMessage({&bytes, 1});
}

// Everything that a receiver does; the payload as text.
absl::StatusOr<std::string> ReceiveAll(Bytes bytes) {
  auto message = DecodeOne(bytes);
  if (!message.ok()) return message.status();
  std::string payload((*message)->payload_size(), '\0');
  const absl::Status copied = (*message)->CopyPayload(absl::MakeSpan(
      reinterpret_cast<uint8_t*>(payload.data()), payload.size()));
  if (!copied.ok()) return copied;
  return payload;
}

TEST(EnvelopeTest, BytesAreThoseOfTheProtocol) {
  EXPECT_THAT(Encode(Example()), ElementsAreArray(kExampleBytes));
  OutgoingMessage empty;
  empty.kind = MessageKind::kDescribeRequest;
  EXPECT_THAT(Encode(empty), ElementsAreArray(kEmptyDescribeBytes));
}

TEST(EnvelopeTest, ReadsWhatItWrote) {
  auto message = DecodeOne(kExampleBytes);
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ((*message)->kind(), MessageKind::kFrame);
  EXPECT_EQ((*message)->call_id(), 0x0102030405060708);
  EXPECT_EQ((*message)->header(), "head");
  EXPECT_EQ((*message)->payload_size(), 8);
  EXPECT_EQ((*message)->room(), nullptr);
  EXPECT_EQ(*ReceiveAll(kExampleBytes), "payload!");
}

TEST(EnvelopeTest, ReadsAMessageInAnyPieces) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::vector<Bytes> pieces;
    Bytes rest = kExampleBytes;
    while (!rest.empty()) {
      const size_t n = std::min<size_t>(random() % 9, rest.size());
      pieces.push_back(rest.first(n));  // empty ones too
      rest.remove_prefix(n);
    }
    auto message = DecodeMessage(pieces);
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ((*message)->header(), "head");
    uint8_t payload[8];
    ASSERT_TRUE((*message)->CopyPayload(absl::MakeSpan(payload)).ok());
    EXPECT_THAT(payload, ElementsAreArray(AsBytes("payload!")));
  }
}

TEST(EnvelopeTest, EveryFlippedBitIsFound) {
  for (size_t bit = 0; bit < kExampleBytes.size() * 8; ++bit) {
    std::vector<uint8_t> bytes = kExampleBytes;
    bytes[bit / 8] ^= 1 << (bit % 8);
    // Not another version: that would be final.
    EXPECT_EQ(ReceiveAll(bytes).status().code(), absl::StatusCode::kDataLoss)
        << "bit " << bit;
  }
}

TEST(EnvelopeTest, EveryCutAndEveryAddedByteIsFound) {
  for (size_t n = 0; n < kExampleBytes.size(); ++n) {
    const auto got = ReceiveAll(Bytes(kExampleBytes).first(n));
    EXPECT_EQ(got.status().code(), absl::StatusCode::kDataLoss) << n;
  }
  std::vector<uint8_t> longer = kExampleBytes;
  longer.push_back(0);
  EXPECT_EQ(ReceiveAll(longer).status().code(), absl::StatusCode::kDataLoss);
}

TEST(EnvelopeTest, RandomDamageIsFound) {
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> bytes = kExampleBytes;
    for (int n = random() % 8 + 1; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    if (bytes == kExampleBytes) continue;
    ASSERT_FALSE(ReceiveAll(bytes).ok()) << "round " << i;
  }
}

TEST(EnvelopeTest, NeighbouringVersionsAreRefused) {
  EXPECT_TRUE(CheckWireVersion(kWireVersion).ok());
  for (const uint32_t version : {kWireVersion - 1, kWireVersion + 1}) {
    EXPECT_EQ(CheckWireVersion(version).code(),
              absl::StatusCode::kFailedPrecondition);
  }
}

// Makes the CRC of the prefix and the header right again.
void SetHeaderCrc(std::vector<uint8_t>* bytes) {
  uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, &(*bytes)[16], sizeof(header_bytes));
  const Bytes all = *bytes;
  const uint32_t crc = ExtendCrc32c(
      Crc32c(all.first(28)), all.subspan(kEnvelopePrefixBytes, header_bytes));
  std::memcpy(&(*bytes)[28], &crc, sizeof(crc));
}

TEST(EnvelopeTest, AWrongVersionNamesBoth) {
  std::vector<uint8_t> bytes = kExampleBytes;
  bytes[4] = 9;
  // It may be a damaged byte of the version that both speak.
  const auto damaged = DecodeOne(bytes);
  EXPECT_EQ(damaged.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(damaged.status().message().find(
                "speaks wire version 9; this build speaks 2, or the message is "
                "damaged: header of "),
            std::string::npos)
      << damaged.status();
  SetHeaderCrc(&bytes);
  const auto got = DecodeOne(bytes);
  EXPECT_EQ(got.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(got.status().message(),
            "the other end speaks wire version 9; this build speaks 2");
}

TEST(EnvelopeTest, AHugeClaimIsRefusedBeforeItIsAllocated) {
  std::vector<uint8_t> bytes = kExampleBytes;
  for (size_t at : {16, 20}) {
    bytes = kExampleBytes;
    for (size_t i = 0; i < 4; ++i) bytes[at + i] = 0xff;
    const auto got = DecodeOne(bytes);
    EXPECT_EQ(got.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(got.status().message()), HasSubstr("4294967295"));
  }
}

TEST(EnvelopeTest, AWrongDestinationIsRefused) {
  auto message = DecodeOne(kExampleBytes);
  uint8_t room[9];
  EXPECT_EQ((*message)->CopyPayload(absl::MakeSpan(room, 7)).code(),
            absl::StatusCode::kInternal);
  EXPECT_TRUE((*message)->CopyPayload(absl::MakeSpan(room, 8)).ok());
  EXPECT_EQ((*message)->CopyPayload(absl::MakeSpan(room, 8)).code(),
            absl::StatusCode::kInternal);  // a second time
}

TEST(EnvelopeTest, LimitsAreThoseStated) {
  OutgoingMessage message;
  message.header.resize(kMaxHeaderBytes);
  const std::vector<uint8_t> payload(kMaxPayloadBytes + 1);
  message.payload = absl::MakeConstSpan(payload).first(kMaxPayloadBytes);
  EXPECT_TRUE(CheckEnvelopeLimits(message).ok());
  EXPECT_EQ(EnvelopeBytes(message), kMaxEnvelopeBytes);
  EXPECT_TRUE(ReceiveAll(Encode(message)).ok());
  message.payload = payload;
  EXPECT_EQ(CheckEnvelopeLimits(message).code(),
            absl::StatusCode::kInvalidArgument);
  message.payload = {};
  message.header.push_back('x');
  EXPECT_EQ(CheckEnvelopeLimits(message).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(EnvelopeTest, UnknownKindsPassAndAreNamedByNumber) {
  OutgoingMessage message;
  message.kind = static_cast<MessageKind>(77);
  const auto bytes = Encode(message);
  auto got = DecodeOne(bytes);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(MessageKindName((*got)->kind()), "kind 77");
}

TEST(ParseHeaderTest, ReadsTheProto) {
  v1::Frame frame;
  frame.set_grant(3);
  frame.set_offset(1 << 20);
  OutgoingMessage message;
  message.kind = MessageKind::kFrame;
  message.header = frame.SerializeAsString();
  const auto bytes = Encode(message);
  auto got = ParseHeader<v1::Frame>(**DecodeOne(bytes));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->grant(), 3);
  EXPECT_EQ(got->offset(), 1 << 20);
}

TEST(ParseHeaderTest, NamesWhatItIsNot) {
  auto got = ParseHeader<v1::Frame>(MessageKind::kFrame, "\xff\xff");
  EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(got.status().message(),
            "header of Frame, 2 bytes, is not a tributary.v1.Frame");
  got = ParseReplyHeader<v1::Frame>(MessageKind::kFrame, "\xff\xff");
  EXPECT_EQ(got.status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
