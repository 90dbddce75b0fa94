// Fuzzes what the other end of a TCP stream sends: whatever the pieces it
// arrives in, exactly those messages are read that a decoder of whole messages
// finds, payloads stay within their rooms, and what has once been told by first
// bytes stays so.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/tcp/first_bytes.h"
#include "channel/tcp/message_reader.h"
#include "common/hash/crc32c.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

using Bytes = absl::Span<const uint8_t>;

struct Taken {
  MessageKind kind{};
  uint64_t call_id = 0;
  std::string header;
  std::optional<std::string> payload;  // none: its CRC is wrong
  friend bool operator==(const Taken&, const Taken&) = default;
};

Taken TakenOf(IncomingMessage& message, absl::Span<uint8_t> room) {
  std::vector<uint8_t> own(room.empty() ? message.payload_size() : 0);
  if (room.empty()) room = absl::MakeSpan(own);
  const bool good = message.CopyPayload(room).ok();
  Taken taken{message.kind(), message.call_id(), std::string(message.header()),
              std::nullopt};
  if (good) taken.payload = std::string(room.begin(), room.end());
  return taken;
}

// Names a room for every second payload; its guards must stay as they are.
class Sink final : public MessageReader::Sink {
 public:
  static constexpr uint8_t kGuard = 0xa5;

  PayloadRoom RoomFor(const IncomingMessage& message) override {
    room_.clear();
    if (++asked_ % 2 == 0) return {};
    room_.assign(message.payload_size() + 2, kGuard);
    return {Inside(), std::make_shared<int>(0)};
  }
  absl::Status TakeMessage(IncomingMessage& message) override {
    taken.push_back(
        TakenOf(message, room_.empty() ? absl::Span<uint8_t>() : Inside()));
    Check();
    room_.clear();
    return absl::OkStatus();
  }
  void Check() const {
    Must(room_.empty() || (room_.front() == kGuard && room_.back() == kGuard),
         "a payload stays in its room");
  }

  std::vector<Taken> taken;

 private:
  absl::Span<uint8_t> Inside() {
    return absl::MakeSpan(room_).subspan(1, room_.size() - 2);
  }

  std::vector<uint8_t> room_;
  int asked_ = 0;
};

struct Read {
  std::vector<Taken> messages;
  bool refused = false;
  friend bool operator==(const Read&, const Read&) = default;
};

// Reads at most `piece` bytes at a time, and fewer as they come.
Read ReadInPieces(Bytes bytes, size_t piece) {
  MessageReader reader;
  Sink sink;
  bool refused = false;
  while (!bytes.empty() && !refused) {
    const auto read = [&](absl::Span<iovec> to) -> ssize_t {
      size_t left = std::min(bytes.size(), 1 + bytes.size() * 31 % piece);
      const size_t all = left;
      for (const iovec& each : to) {
        const size_t n = std::min(left, each.iov_len);
        std::memcpy(each.iov_base, bytes.data(), n);
        bytes.remove_prefix(n);
        left -= n;
      }
      return static_cast<ssize_t>(all - left);
    };
    const auto result = reader.ReadFrom(read, sink);
    refused = !result.ok();
    Must(refused || *result != MessageReader::ReadResult::kEnded,
         "it ends when the other end does");
  }
  sink.Check();
  return {std::move(sink.taken), refused};
}

Read ReadWhole(Bytes bytes) {
  Read read;
  while (bytes.size() >= kEnvelopePrefixBytes) {
    EnvelopePrefix prefix;
    std::copy_n(bytes.begin(), prefix.size(), prefix.begin());
    const auto head = ReadEnvelopePrefix(prefix);
    read.refused = !head.ok();
    if (read.refused) break;
    const size_t headed = prefix.size() + head->header_bytes;
    if (bytes.size() < headed) break;
    const std::string header(bytes.begin() + prefix.size(),
                             bytes.begin() + static_cast<ptrdiff_t>(headed));
    read.refused = !CheckEnvelopeHeader(prefix, header).ok();
    const size_t whole = headed + head->payload_bytes;
    if (read.refused || bytes.size() < whole) break;
    auto message = DecodeMessage({bytes.first(whole)});
    Must(message.ok(), "what was checked in parts is a message");
    read.messages.push_back(TakenOf(**message, {}));
    bytes.remove_prefix(whole);
  }
  return read;
}

// The messages that the prefixes claim, with the CRCs that make them
// believable; of every fifth the payload's stays wrong.
std::vector<uint8_t> WithCrcs(Bytes input) {
  std::vector<uint8_t> bytes(input.begin(), input.end());
  const auto all = absl::MakeSpan(bytes);
  for (size_t at = 0, i = 1; bytes.size() - at >= kEnvelopePrefixBytes; ++i) {
    uint32_t sizes[2];
    std::memcpy(sizes, &bytes[at + 16], sizeof(sizes));
    const Bytes rest = all.subspan(at + kEnvelopePrefixBytes);
    const size_t header = std::min<size_t>(sizes[0], rest.size());
    const size_t payload = std::min<size_t>(sizes[1], rest.size() - header);
    const uint32_t payload_crc =
        Crc32c(rest.subspan(header, payload)) + (i % 5 == 0);
    std::memcpy(&bytes[at + 24], &payload_crc, 4);
    const uint32_t crc =
        ExtendCrc32c(Crc32c(all.subspan(at, 28)), rest.first(header));
    std::memcpy(&bytes[at + 28], &crc, 4);
    at += kEnvelopePrefixBytes + header + payload;
  }
  return bytes;
}

void Take(Bytes bytes) {
  const Read whole = ReadWhole(bytes);
  for (const size_t piece : {1, 64, 5000, 1 << 20}) {
    // Some hundred pieces of a large input are enough.
    Must(ReadInPieces(bytes, std::max(piece, bytes.size() / 200)) == whole,
         "pieces change nothing");
  }
}

void Tell(Bytes bytes) {
  for (const bool tls : {false, true}) {
    std::optional<bool> told;
    for (size_t n = 0; n <= std::min<size_t>(bytes.size(), 200); ++n) {
      const auto now = BeginsTcpStream(bytes.first(n), tls);
      Must(!told.has_value() || now == told, "what was told stays so");
      told = now;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Take({data, size});
  Take(WithCrcs({data, size}));
  Tell({data, size});
  return 0;
}

}  // namespace tributary
