// Whether the limits of this process leave gRPC what it needs.
#ifndef TRIBUTARY_CHANNEL_GRPC_PROCESS_ROOM_H_
#define TRIBUTARY_CHANNEL_GRPC_PROCESS_ROOM_H_

#include "absl/status/status.h"

namespace tributary {

// Tries to start as many threads, and to open as many descriptors, as gRPC does
// in its first moments, and ends and closes them again. gRPC checks neither:
// without threads it waits for ever, without descriptors it ends the process.
// Call it before the first server or transport is used.
//
// RESOURCE_EXHAUSTED names the limit (ulimit -n, -u, -v). Later calls return at
// once where the first has found enough. Thread-safe.
absl::Status CheckRoomForGrpc();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_PROCESS_ROOM_H_
