#include "channel/tcp/testing/tcp_floods.h"

#include <string>

#include "channel/envelope.h"
#include "channel/tcp/control_message.h"
#include "channel/transport.h"

namespace tributary {
namespace {

using raw_http2::Flood;

constexpr size_t kChunk = 64 << 10;

std::string Message(TcpControl kind, uint64_t value, std::string header = "") {
  OutgoingMessage message;
  message.kind = static_cast<MessageKind>(kind);
  message.call_id = value;
  message.header = std::move(header);
  const EnvelopePrefix prefix = EncodePrefix(message);
  return std::string(prefix.begin(), prefix.end()) + message.header;
}

std::string Opening() {
  return Message(TcpControl::kOpen,
                 static_cast<uint64_t>(StreamMethod::kBatches));
}

Flood Repeat(const char* name, const std::string& message) {
  std::string piece;
  while (piece.size() < kChunk) piece += message;
  Flood flood{name,
              [piece](int i) { return (i == 0 ? Opening() : "") + piece; }};
  flood.http2 = false;
  return flood;
}

// A header that claims to be long and comes slowly, on a stream that is never
// opened or after its opening.
Flood Endless(const char* name, bool opened) {
  std::string claimed =
      Message(TcpControl::kPing, 0, std::string(kMaxHeaderBytes, 'x'));
  claimed.resize(kEnvelopePrefixBytes);
  Flood flood{name, [=](int i) {
                return (i > 0 ? "" : (opened ? Opening() : "") + claimed) +
                       std::string(kChunk, 'y');
              }};
  flood.http2 = false;
  return flood;
}

}  // namespace

absl::Span<const Flood> AllTcpFloods() {
  static const Flood kFloods[] = {
      Repeat("TcpPings", Message(TcpControl::kPing, 0)),
      Repeat("TcpPongs", Message(TcpControl::kPong, 0)),
      Repeat("TcpLongPings",
             Message(TcpControl::kPing, 0, std::string(4096, 'p'))),
      Repeat("TcpOpenings", Opening()),
      Repeat("TcpZeros", std::string(64, '\0')),
      Endless("TcpDamagedHeader", /*opened=*/true),
      Endless("TcpDamagedFirstHeader", /*opened=*/false),
  };
  return kFloods;
}

}  // namespace tributary
