// What both ends of a gRPC connection must agree on.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_CONNECTION_OPTIONS_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_CONNECTION_OPTIONS_H_

#include <cstddef>

#include "absl/time/time.h"

namespace tributary {

struct GrpcConnectionOptions {
  // Of headers and payloads waiting in one direction of one stream; a stream
  // with more breaks.
  size_t max_queued_bytes = size_t{256} << 20;
  // What one stream may send here that nobody has read yet. Fixed: gRPC's own
  // estimate grows with what it sees, to tens of MiB over a fast network whose
  // reader is slow.
  size_t receive_window = size_t{4} << 20;
  // A connection without traffic is pinged after `keepalive_time` and given up
  // when `keepalive_timeout` later nothing has come back; TCP gives up unsent
  // data after the same time. Servers bear pings half as far apart.
  absl::Duration keepalive_time = absl::Seconds(10);
  absl::Duration keepalive_timeout = absl::Seconds(10);
  // A stream that was closed has so long to say so to the other end; then it is
  // broken. Its OnClosed waits for what TCP has taken up: at most as keepalive
  // does.
  absl::Duration close_timeout = absl::Seconds(5);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_CONNECTION_OPTIONS_H_
