// IPv6 addresses of several networks on one machine.
#ifndef TRIBUTARY_COMMON_FLEET_TESTING_IPV6_NETWORK_H_
#define TRIBUTARY_COMMON_FLEET_TESTING_IPV6_NETWORK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/io/unique_fd.h"

namespace tributary {

// Runs `test` on a thread in a network of its own, whose loopback device has
// `addresses`; threads that it starts are in it too. Returns false, without
// running it, where the system does not allow that: it takes CAP_SYS_ADMIN.
bool RunWithIpv6Addresses(const std::vector<std::string>& addresses,
                          const std::function<void()>& test);

// Connects to one of the addresses from another. Its reads end after 20 s.
UniqueFd ConnectOverIpv6(const std::string& from, const std::string& to,
                         uint16_t port);

// Whether the other end closes, or has closed, the connection.
bool ClosesInTime(const UniqueFd& fd);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_TESTING_IPV6_NETWORK_H_
