// Connects to a server without waiting.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_CONNECTOR_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_CONNECTOR_H_

#include <sys/socket.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/net/socket_loop.h"
#include "common/fleet/address.h"
#include "common/io/unique_fd.h"

namespace tributary {

// The name of a socket, as the system knows it.
struct SocketName {
  sockaddr_storage name{};
  socklen_t bytes = 0;
};

// Returns the names of a server's socket. `numeric`: looks up no host name, and
// returns NOT_FOUND for one; else may wait for as long as the system's resolver
// does. UNAVAILABLE, with the address, if there are none.
absl::StatusOr<std::vector<SocketName>> NamesOf(const Address& address,
                                                bool numeric);

// Tries the names in turn until one is connected. Its sockets are non-blocking,
// send without delay and give up unsent data after `user_timeout`.
class TcpConnector final : public SocketWatcher,
                           public std::enable_shared_from_this<TcpConnector> {
 public:
  // Called once, on the loop's thread, with the connected socket or with
  // UNAVAILABLE, which names `server` and the last error.
  using Done = std::function<void(absl::StatusOr<UniqueFd> socket)>;

  // Begins. Nothing is called after the loop has ended.
  static void Start(SocketLoop* loop, std::vector<SocketName> names,
                    std::string server, absl::Duration timeout,
                    absl::Duration user_timeout, Done done);

  TcpConnector(SocketLoop* loop, std::vector<SocketName> names,
               std::string server, absl::Duration user_timeout, Done done);

 private:
  void OnReadable() override { OnWritable(); }
  void OnWritable() override;
  void TryNext();
  bool Begin(const SocketName& name);
  void Finish(absl::StatusOr<UniqueFd> socket);

  // All of it is used on the loop's thread only.
  SocketLoop* const loop_;
  const std::vector<SocketName> names_;
  const std::string server_;
  const absl::Duration user_timeout_;
  Done done_;  // null once it was called
  size_t next_ = 0;
  UniqueFd socket_;  // that is being connected
  int error_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_CONNECTOR_H_
