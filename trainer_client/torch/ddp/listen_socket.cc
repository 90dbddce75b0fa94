#include "trainer_client/torch/ddp/listen_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Listens at `address`, whose port is at `port` within it.
absl::StatusOr<ListenSocket> Listen(sockaddr* address, socklen_t size,
                                    const in_port_t* port) {
  ListenSocket result;
  result.fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  const int no = 0;
  if (result.fd >= 0 && address->sa_family == AF_INET6) {
    setsockopt(result.fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
  }
  // A job that starts again must not wait for the last one's TIME_WAIT.
  if (result.fd >= 0 &&
      setsockopt(result.fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
      bind(result.fd, address, size) == 0 && listen(result.fd, 1024) == 0 &&
      getsockname(result.fd, address, &size) == 0) {
    result.port = ntohs(*port);
    return result;
  }
  const int error = errno;
  if (result.fd >= 0) close(result.fd);
  return absl::UnavailableError(
      absl::StrCat("listen at port ", ntohs(*port),
                   " for the ranks: ", std::strerror(error)));
}

absl::StatusOr<ListenSocket> ListenOnIpv4(in_addr_t host, uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  address.sin_port = htons(port);
  return Listen(reinterpret_cast<sockaddr*>(&address), sizeof(address),
                &address.sin_port);
}

}  // namespace

absl::StatusOr<ListenSocket> ListenOnLoopback(uint16_t port) {
  return ListenOnIpv4(INADDR_LOOPBACK, port);
}

absl::StatusOr<ListenSocket> ListenOnAllInterfaces(uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_any;
  address.sin6_port = htons(port);
  auto both = Listen(reinterpret_cast<sockaddr*>(&address), sizeof(address),
                     &address.sin6_port);
  if (both.ok()) return both;
  return ListenOnIpv4(INADDR_ANY, port);  // a machine without IPv6
}

}  // namespace tributary
