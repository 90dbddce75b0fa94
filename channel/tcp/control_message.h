// The messages that the two ends of a TCP stream exchange for themselves.
//
// A stream is a TCP connection. Each end writes a sequence of envelopes
// (channel/envelope.h), and nothing else: those of the stream's messages and
// these, which reach no handler and have no payload.
#ifndef TRIBUTARY_CHANNEL_TCP_CONTROL_MESSAGE_H_
#define TRIBUTARY_CHANNEL_TCP_CONTROL_MESSAGE_H_

#include <cstddef>
#include <cstdint>

#include "channel/message.h"

namespace tributary {

// Values of the envelope's kind, beside those of MessageKind.
enum class TcpControl : uint16_t {
  // The client's first message, once: the envelope's call_id is the
  // StreamMethod. So the first bytes of a connection are the envelope's magic,
  // "TRIB", which neither HTTP/2 nor TLS begins with.
  kOpen = 0xff00,
  // An end's last message: call_id is the status code, the header its text.
  kClose = 0xff01,
  // Asks for a sign of life. It is answered by kPong, unless other bytes wait
  // to be written, which are such a sign as well.
  kPing = 0xff02,
  kPong = 0xff03,
};

inline constexpr size_t kMaxTcpCloseText = 4096;

inline bool IsTcpControl(MessageKind kind) {
  return static_cast<uint16_t>(kind) >=
         static_cast<uint16_t>(TcpControl::kOpen);
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_CONTROL_MESSAGE_H_
