// Any bytes, in pieces of any size, either decode to a message that reads back
// or are refused; nothing else may happen.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "channel/envelope.h"
#include "channel/frame_assembler.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"

namespace tributary {
namespace {

void Must(bool holds) {
  if (!holds) std::abort();
}

// Cuts `bytes` in pieces whose sizes depend on their own first bytes.
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

void TakeFrame(IncomingMessage& message) {
  const auto frame = ParseHeader<v1::Frame>(message);
  if (!frame.ok()) return;
  std::vector<uint8_t> slot(64);
  FrameAssembler assembler(absl::MakeSpan(slot));
  (void)assembler.Add(frame->offset(), frame->total(), message);
  Must(assembler.received() <= slot.size());
}

void TakePayload(IncomingMessage& message) {
  std::vector<uint8_t> payload(message.payload_size());
  (void)message.CopyPayload(absl::MakeSpan(payload));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto message = DecodeMessage(Pieces({data, size}));
  if (!message.ok()) return 0;
  Must((*message)->header().size() + (*message)->payload_size() +
           kEnvelopePrefixBytes ==
       size);
  if ((*message)->kind() == MessageKind::kFrame) {
    TakeFrame(**message);
  } else {
    TakePayload(**message);
  }
  return 0;
}

}  // namespace tributary
