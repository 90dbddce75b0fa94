// The listening socket of a job's rendezvous store.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LISTEN_SOCKET_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LISTEN_SOCKET_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tributary {

struct ListenSocket {
  int fd = -1;  // closed on exec; owned by whoever has the struct
  uint16_t port = 0;
};

// Listens at `port` (0: a free one) of 127.0.0.1. UNAVAILABLE, naming the port,
// if the system refuses.
absl::StatusOr<ListenSocket> ListenOnLoopback(uint16_t port);
// The same on all interfaces, for IPv6 and IPv4.
absl::StatusOr<ListenSocket> ListenOnAllInterfaces(uint16_t port);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LISTEN_SOCKET_H_
