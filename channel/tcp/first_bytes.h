// Tells a stream of this transport from other protocols by the first bytes of a
// connection.
#ifndef TRIBUTARY_CHANNEL_TCP_FIRST_BYTES_H_
#define TRIBUTARY_CHANNEL_TCP_FIRST_BYTES_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

// What a client of this transport offers as protocol (ALPN, RFC 7301), so that
// a server tells it from HTTP/2 by the first message of TLS.
inline constexpr absl::string_view kTcpAlpn = "tributary-stream";

// Returns whether `first`, what a client has sent so far, begins a stream: in
// plain text an envelope's magic, with `tls` a ClientHello that offers
// kTcpAlpn. Returns nullopt if more bytes are needed to tell. A ClientHello of
// several records, which none of ours is, begins none.
std::optional<bool> BeginsTcpStream(absl::Span<const uint8_t> first, bool tls);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_FIRST_BYTES_H_
