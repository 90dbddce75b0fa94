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

// Parses HOST:PORT or unix:/PATH; INVALID_ARGUMENT, with the text, for anything
// else. Port 0 is allowed only for addresses to listen on. A path has 2 to 100
// bytes, none of them a comma or white space.
absl::StatusOr<Address> ParseAddress(std::string_view text,
                                     bool allow_port_zero = false);

// Returns true for addresses that only this machine can reach: "localhost",
// 127.0.0.0/8, ::1 and unix:/PATH. Looks up no names.
bool IsLoopback(std::string_view host);

// Parses "HOST:PORT,HOST:PORT,...". INVALID_ARGUMENT as ParseAddress, and for
// duplicates.
absl::StatusOr<std::vector<Address>> ParseAddressList(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_ADDRESS_H_
