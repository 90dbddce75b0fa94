// The streams of a server's connections over TCP.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_CONNECTIONS_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_CONNECTIONS_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "channel/net/stream_places.h"
#include "channel/network.h"
#include "channel/second_protocol.h"
#include "channel/transport.h"
#include "common/observe/refusal_counter.h"

namespace tributary {

// The most bytes that a stream over TCP takes beside its messages: buffers, and
// with TLS its state and what is encrypted and not taken by the socket yet.
inline constexpr size_t kTcpStreamBytes = size_t{40} << 10;
inline constexpr size_t kTlsStreamBytes = size_t{192} << 10;

// Makes a stream of each connection that it adopts, as TcpServer says, and
// counts the late ones in `refused` as "slow". `acceptor`, `places` and
// `refused` outlive the result. Returns the errors of TcpServer::Start but
// those of listening.
absl::StatusOr<std::unique_ptr<SecondProtocol>> StartTcpConnections(
    const NetworkServerOptions& options, StreamAcceptor* acceptor,
    StreamPlaces* places, RefusalCounter* refused);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_CONNECTIONS_H_
