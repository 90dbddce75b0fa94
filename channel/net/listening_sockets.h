// The sockets that a server listens on.
#ifndef TRIBUTARY_CHANNEL_NET_LISTENING_SOCKETS_H_
#define TRIBUTARY_CHANNEL_NET_LISTENING_SOCKETS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Listens on every address of a host name, or on a unix socket, whose file it
// removes when it ends. 0.0.0.0 and :: stand for all addresses of both
// families. Not thread-safe.
class ListeningSockets {
 public:
  // Listens on `address`; port 0 is any free one, the same for all addresses
  // of the name. Accepted TCP connections inherit TCP_NODELAY and give up
  // unsent data after `user_timeout`. UNAVAILABLE if the address is in use or
  // none of this machine; ALREADY_EXISTS if something that is no socket is at
  // the path of a unix socket.
  static absl::StatusOr<std::unique_ptr<ListeningSockets>> Open(
      const Address& address, absl::Duration user_timeout);
  ~ListeningSockets();
  ListeningSockets(const ListeningSockets&) = delete;
  ListeningSockets& operator=(const ListeningSockets&) = delete;

  // The address with the actual port.
  const Address& address() const { return address_; }
  const std::vector<UniqueFd>& sockets() const { return sockets_; }

 private:
  explicit ListeningSockets(Address address) : address_(std::move(address)) {}
  absl::Status OpenUnix();
  absl::Status OpenTcp(absl::Duration user_timeout);
  absl::Status OpenEach(const std::string& host, absl::Duration user_timeout);

  Address address_;
  std::vector<UniqueFd> sockets_;
  ino_t inode_ = 0;  // of the file at a unix socket's path
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_LISTENING_SOCKETS_H_
