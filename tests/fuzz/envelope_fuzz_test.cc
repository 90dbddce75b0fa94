// Fuzzes envelopes: any bytes, in slices of any size, either decode to a
// message that encodes to the same bytes or are refused. Frames are assembled
// within their slot.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "channel/envelope.h"
#include "channel/frame_assembler.h"
#include "channel/parse_header.h"
#include "common/hash/crc32c.h"
#include "common/proto/wire.pb.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

using Bytes = std::vector<uint8_t>;

// Cuts `bytes` in pieces whose sizes depend on their own last byte.
std::vector<absl::Span<const uint8_t>> Pieces(absl::Span<const uint8_t> bytes) {
  std::vector<absl::Span<const uint8_t>> pieces;
  size_t seed = bytes.empty() ? 0 : bytes.back();
  while (!bytes.empty()) {
    seed = seed * 31 + 7;
    const size_t n = std::min<size_t>(bytes.size(), seed % 40);
    pieces.push_back(bytes.first(n));
    bytes.remove_prefix(n);
  }
  return pieces;
}

template <typename T>
void Store(Bytes& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

// What the prefix claims, with the CRCs that make it believable: a fuzzer
// would not find those by itself.
Bytes WithCrcs(absl::Span<const uint8_t> input) {
  Bytes bytes(input.begin(), input.end());
  if (bytes.size() < kEnvelopePrefixBytes) return bytes;
  uint32_t header_size = 0;
  std::memcpy(&header_size, bytes.data() + 16, sizeof(header_size));
  const absl::Span<const uint8_t> rest =
      absl::MakeConstSpan(bytes).subspan(kEnvelopePrefixBytes);
  const size_t h = std::min<size_t>(header_size, rest.size());
  Store(bytes, 24, Crc32c(rest.subspan(h)));
  const uint32_t prefix = Crc32c(absl::MakeConstSpan(bytes).first(28));
  Store(bytes, 28, ExtendCrc32c(prefix, rest.first(h)));
  return bytes;
}

// The same frame twice, the second time where the first one ended.
void TakeFrames(absl::Span<const uint8_t> bytes) {
  std::array<uint8_t, 64> slot;
  FrameAssembler assembler(absl::MakeSpan(slot));
  for (int i = 0; i < 2; ++i) {
    auto message = DecodeMessage(Pieces(bytes));
    Must(message.ok(), "what decoded once decodes again");
    const auto frame = ParseHeader<v1::Frame>(**message);
    if (!frame.ok()) return;
    const uint64_t before = assembler.received();
    const absl::Status added =
        assembler.Add(frame->offset() + before, frame->total(), **message);
    Must(assembler.received() <= slot.size(), "frames stay in the slot");
    Must(!added.ok() || assembler.received() > before, "a frame has bytes");
    if (!added.ok()) return;
    Must(assembler.total() >= assembler.received(), "no more than the total");
  }
}

void TakePayload(IncomingMessage& message) {
  Bytes payload(message.payload_size());
  (void)message.CopyPayload(absl::MakeSpan(payload));
}

void Take(absl::Span<const uint8_t> bytes) {
  auto message = DecodeMessage(Pieces(bytes));
  if (!message.ok()) return;
  Must((*message)->header().size() + (*message)->payload_size() +
               kEnvelopePrefixBytes ==
           bytes.size(),
       "a message is exactly its parts");
  Must((*message)->payload_size() <= kMaxPayloadBytes, "payload limit");
  if ((*message)->kind() == MessageKind::kFrame) TakeFrames(bytes);
  TakePayload(**message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Take({data, size});
  Take(WithCrcs({data, size}));
  return 0;
}

}  // namespace tributary
