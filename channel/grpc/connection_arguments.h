// The gRPC channel arguments that both ends of a connection set to the same
// values.
#ifndef TRIBUTARY_CHANNEL_GRPC_CONNECTION_ARGUMENTS_H_
#define TRIBUTARY_CHANNEL_GRPC_CONNECTION_ARGUMENTS_H_

#include <grpc/grpc.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "channel/network.h"

namespace tributary {

// The largest int means without end.
inline int ArgumentMs(absl::Duration duration) {
  return static_cast<int>(std::min<int64_t>(absl::ToInt64Milliseconds(duration),
                                            std::numeric_limits<int>::max()));
}

// Calls `set` with the name and value of each argument.
inline void SetConnectionArguments(
    const ConnectionOptions& connection,
    absl::FunctionRef<void(const char* name, int value)> set) {
  set(GRPC_ARG_KEEPALIVE_TIME_MS, ArgumentMs(connection.keepalive_time));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, ArgumentMs(connection.keepalive_timeout));
  set(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Data of a cancelled stream that TCP has not delivered keeps its buffers
  // until TCP gives up, which pings without a call bring about.
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  set(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES,
      static_cast<int>(connection.receive_window));
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_CONNECTION_ARGUMENTS_H_
