// Redirects gRPC's own log lines.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_LOG_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_LOG_H_

namespace tributary {

// Writes gRPC's errors to our log as debug lines, instead of to stderr, and
// counts the failed handshakes of servers (refused_connections.h), which gRPC
// reports in no other way. Takes effect for the whole process, once; later
// calls do nothing. Thread-safe.
void TakeGrpcLog();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_LOG_H_
