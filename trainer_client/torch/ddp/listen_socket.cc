#include "trainer_client/torch/ddp/listen_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
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

// Returns 0 or the errno of a connection attempt.
int TryConnect(const addrinfo& address, absl::Duration timeout) {
  const int fd =
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  int error = 0;
  if (connect(fd, address.ai_addr, address.ai_addrlen) != 0) error = errno;
  if (error == EINPROGRESS) {
    pollfd wait{fd, POLLOUT, 0};
    socklen_t size = sizeof(error);
    error = ETIMEDOUT;
    if (poll(&wait, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout))) >
        0) {
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  close(fd);
  return error;
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

absl::Status CheckListening(const std::string& host, uint16_t port,
                            absl::Duration timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int unknown =
      getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  if (unknown != 0) {
    return absl::UnavailableError(
        absl::StrCat(host, ": ", gai_strerror(unknown)));
  }
  int error = 0;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    error = TryConnect(*a, timeout);
    if (error == 0) break;
  }
  freeaddrinfo(found);
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(host, ":", port, ": ", std::strerror(error)));
}

}  // namespace tributary
