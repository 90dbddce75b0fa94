// The address of a server, and lists of addresses.
#ifndef TRIBUTARY_COMMON_FLEET_ADDRESS_H_
#define TRIBUTARY_COMMON_FLEET_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// HOST:PORT, where an IPv6 host is written [::1]:50051; or a Unix socket of
// this machine, unix:/PATH, in which case `host` holds all of it and `port` is
// 0.
struct Address {
  std::string host;
  uint16_t port = 0;

  bool is_unix() const { return host.compare(0, 6, "unix:/") == 0; }

  std::string ToString() const;
  friend bool operator==(const Address&, const Address&) = default;
  friend auto operator<=>(const Address&, const Address&) = default;
};

// The port of servers that a file lists without one: the default of DGL, whose
// ip_config.txt may have bare addresses.
inline constexpr uint16_t kDefaultPort = 30050;

// Parses HOST:PORT or unix:/PATH; INVALID_ARGUMENT, with the text, for anything
// else. Port 0 is allowed only for addresses to listen on. A path has 2 to 100
// bytes, none of them a comma or white space.
absl::StatusOr<Address> ParseAddress(std::string_view text,
                                     bool allow_port_zero = false);

// Parses a line of an ip_config file: what ParseAddress takes, "HOST PORT", or
// HOST alone (a name, an IPv4 address or an [IPV6] address), whose port is
// kDefaultPort. INVALID_ARGUMENT, with the text, for anything else; also for a
// HOST alone that is a number or a piece of an IPv4 address, which may be a
// line that is only half written.
absl::StatusOr<Address> ParseAddressLine(std::string_view line);

// Returns true for addresses that only this machine can reach: "localhost",
// 127.0.0.0/8, ::1 and unix:/PATH. Looks up no names.
bool IsLoopback(std::string_view host);

// Parses "HOST:PORT,HOST:PORT,...". INVALID_ARGUMENT as ParseAddress, and for
// duplicates.
absl::StatusOr<std::vector<Address>> ParseAddressList(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_ADDRESS_H_
