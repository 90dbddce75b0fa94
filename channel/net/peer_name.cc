#include "channel/net/peer_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

std::string Ipv4(const void* address, in_port_t port) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, address, text, sizeof(text));
  return absl::StrCat("ipv4:", text, ":", ntohs(port));
}

sockaddr_storage PeerOf(int fd) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof(name);
  getpeername(fd, reinterpret_cast<sockaddr*>(&name), &bytes);
  return name;
}

bool IsLoopbackIpv4(const void* address) {
  return *static_cast<const uint8_t*>(address) == IN_LOOPBACKNET;
}

}  // namespace

bool IsLoopbackSocket(int fd) {
  const sockaddr_storage name = PeerOf(fd);
  if (name.ss_family == AF_INET) {
    return IsLoopbackIpv4(
        &reinterpret_cast<const sockaddr_in*>(&name)->sin_addr);
  }
  if (name.ss_family != AF_INET6) return false;
  const in6_addr& ipv6 =
      reinterpret_cast<const sockaddr_in6*>(&name)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&ipv6) ||
         (IN6_IS_ADDR_V4MAPPED(&ipv6) && IsLoopbackIpv4(&ipv6.s6_addr[12]));
}

std::string PeerNameOf(int fd) {
  const sockaddr_storage name = PeerOf(fd);
  if (name.ss_family == AF_INET) {
    const auto& ipv4 = *reinterpret_cast<const sockaddr_in*>(&name);
    return Ipv4(&ipv4.sin_addr, ipv4.sin_port);
  }
  if (name.ss_family != AF_INET6) return "unix:";
  const auto& ipv6 = *reinterpret_cast<const sockaddr_in6*>(&name);
  if (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr)) {
    return Ipv4(&ipv6.sin6_addr.s6_addr[12], ipv6.sin6_port);
  }
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &ipv6.sin6_addr, text, sizeof(text));
  return absl::StrCat("ipv6:[", text, "]:", ntohs(ipv6.sin6_port));
}

}  // namespace tributary
