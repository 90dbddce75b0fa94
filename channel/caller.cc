#include "channel/caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

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
  char shown[INET6_ADDRSTRLEN] = "";
  if (IN6_IS_ADDR_V4MAPPED(&name)) {
    inet_ntop(AF_INET, name.s6_addr + 12, shown, sizeof(shown));
    return absl::StrCat("ipv4:", shown);
  }
  std::memset(name.s6_addr + 8, 0, 8);
  inet_ntop(AF_INET6, &name, shown, sizeof(shown));
  return absl::StrCat("ipv6:", shown, "/64");
}

}  // namespace tributary
