// gRPC's own log lines.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_LOG_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_LOG_H_

namespace tributary {

// From now on gRPC's lines, which it would write to stderr by itself, go to our
// log as debug lines: whatever matters in them comes as a status too. Once a
// process; thread-safe.
void TakeGrpcLog();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_LOG_H_
