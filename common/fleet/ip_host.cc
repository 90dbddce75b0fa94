#include "common/fleet/ip_host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace tributary {

std::string HostOfIpv4(const in_addr& address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address, text, sizeof(text));
  return text;
}

std::string HostOfIpv6(const in6_addr& address) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr mapped;
    std::memcpy(&mapped, address.s6_addr + 12, sizeof(mapped));
    return HostOfIpv4(mapped);
  }
  if (IN6_IS_ADDR_LOOPBACK(&address)) return "::1";
  in6_addr network{};
  std::copy_n(address.s6_addr, 8, network.s6_addr);
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &network, text, sizeof(text));
  return std::string(text) + "/64";
}

}  // namespace tributary
