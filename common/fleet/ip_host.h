// The name by which limits count the host of an IP address.
#ifndef TRIBUTARY_COMMON_FLEET_IP_HOST_H_
#define TRIBUTARY_COMMON_FLEET_IP_HOST_H_

#include <netinet/in.h>

#include <string>

namespace tributary {

// Returns such as "10.0.0.7".
std::string HostOfIpv4(const in_addr& address);

// Returns such as "2001:db8:1:2::/64": whoever has an IPv6 address has the 2^64
// of its network. Loopback is "::1", and a mapped IPv4 address is that one.
std::string HostOfIpv6(const in6_addr& address);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_IP_HOST_H_
