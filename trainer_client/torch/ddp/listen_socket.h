// The sockets of a job's rendezvous store.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LISTEN_SOCKET_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LISTEN_SOCKET_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

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

// Returns OK if something listens there. UNAVAILABLE, with the cause, if the
// name is unknown, or none of its addresses answers within `timeout` each.
absl::Status CheckListening(const std::string& host, uint16_t port,
                            absl::Duration timeout);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LISTEN_SOCKET_H_
