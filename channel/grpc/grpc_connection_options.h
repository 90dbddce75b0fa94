// The options of a gRPC connection that both ends must agree on.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_CONNECTION_OPTIONS_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_CONNECTION_OPTIONS_H_

#include <cstddef>

#include "absl/time/time.h"

namespace tributary {

struct GrpcConnectionOptions {
  // Limit of the headers and payloads that wait in one direction of one stream;
  // a stream with more breaks.
  size_t max_queued_bytes = size_t{256} << 20;
  // Limit of the bytes of one stream that have arrived and are not yet read. It
  // is fixed because gRPC's own estimate grows to tens of MiB over a fast
  // network with a slow reader.
  size_t receive_window = size_t{4} << 20;
  // A connection without traffic is pinged after `keepalive_time` and closed if
  // no answer arrives within `keepalive_timeout`; TCP gives up unsent data
  // after the same time. Servers tolerate pings at half this interval.
  absl::Duration keepalive_time = absl::Seconds(10);
  absl::Duration keepalive_timeout = absl::Seconds(10);
  // How long a closed stream may take to tell the other end; then it is broken.
  // Its OnClosed waits until TCP has delivered or given up the data it holds:
  // at most as long as keepalive takes.
  absl::Duration close_timeout = absl::Seconds(5);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_CONNECTION_OPTIONS_H_
