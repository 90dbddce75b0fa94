#include "channel/caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/fleet/ip_host.h"

namespace tributary {

Caller::Caller(std::string address, Identity identity)
    : address(std::move(address)),
      identity(std::move(identity)),
      share_key_(
          this->identity.role == Role::kTrainer
              ? this->identity.ToString()
              : absl::StrCat(this->identity.ToString(), " at ", host())) {}

std::string Caller::host() const {
  const std::string host = address.substr(0, address.rfind(':'));
  if (!absl::StartsWith(host, "ipv6:")) return host;
  std::string text = absl::StrReplaceAll(
      host.substr(5), {{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}});
  text = text.substr(0, text.find('%'));  // without the zone
  in6_addr name;
  if (inet_pton(AF_INET6, text.c_str(), &name) != 1 ||
      IN6_IS_ADDR_LOOPBACK(&name)) {
    return host;
  }
  return absl::StrCat(IN6_IS_ADDR_V4MAPPED(&name) ? "ipv4:" : "ipv6:",
                      HostOfIpv6(name));
}

}  // namespace tributary
