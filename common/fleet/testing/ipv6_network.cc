#include "common/fleet/testing/ipv6_network.h"

#include <arpa/inet.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace tributary {
namespace {

sockaddr_in6 NameOf(const std::string& address, uint16_t port) {
  sockaddr_in6 name{};
  name.sin6_family = AF_INET6;
  name.sin6_port = htons(port);
  inet_pton(AF_INET6, address.c_str(), &name.sin6_addr);
  return name;
}

// An address is not to be had before the kernel has looked for others with it.
bool BecomesUsable(const std::string& address) {
  const sockaddr_in6 name = NameOf(address, 0);
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < limit) {
    const UniqueFd fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&name),
             sizeof(name)) == 0) {
      return true;
    }
    std::this_thread::yield();
  }
  return false;
}

bool SetUpLoopback(const std::vector<std::string>& addresses) {
  const UniqueFd fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq device{};
  std::strncpy(device.ifr_name, "lo", IFNAMSIZ - 1);
  if (ioctl(fd.get(), SIOCGIFFLAGS, &device) != 0) return false;
  device.ifr_flags |= IFF_UP;
  if (ioctl(fd.get(), SIOCSIFFLAGS, &device) != 0) return false;
  if (ioctl(fd.get(), SIOCGIFINDEX, &device) != 0) return false;
  for (const std::string& address : addresses) {
    in6_ifreq request{};
    request.ifr6_addr = NameOf(address, 0).sin6_addr;
    request.ifr6_prefixlen = 128;
    request.ifr6_ifindex = device.ifr_ifindex;
    if (ioctl(fd.get(), SIOCSIFADDR, &request) != 0) return false;
  }
  return std::all_of(addresses.begin(), addresses.end(), BecomesUsable);
}

}  // namespace

bool RunWithIpv6Addresses(const std::vector<std::string>& addresses,
                          const std::function<void()>& test) {
  bool allowed = false;
  std::thread thread([&] {
    allowed = unshare(CLONE_NEWNET) == 0 && SetUpLoopback(addresses);
    if (allowed) test();
  });
  thread.join();
  return allowed;
}

UniqueFd ConnectOverIpv6(const std::string& from, const std::string& to,
                         uint16_t port) {
  UniqueFd fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{.tv_sec = 20};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  const sockaddr_in6 own = NameOf(from, 0);
  const sockaddr_in6 other = NameOf(to, port);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof(own)) !=
          0 ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&other),
              sizeof(other)) != 0) {
    fd.Reset();
  }
  return fd;
}

bool ClosesInTime(const UniqueFd& fd) {
  char byte;
  const ssize_t count = recv(fd.get(), &byte, 1, 0);
  return count == 0 || (count < 0 && errno != EAGAIN);
}

}  // namespace tributary
