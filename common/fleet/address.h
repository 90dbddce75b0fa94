// Where a server is, and lists of such places.
#ifndef TRIBUTARY_COMMON_FLEET_ADDRESS_H_
#define TRIBUTARY_COMMON_FLEET_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// HOST:PORT; an IPv6 host is written [::1]:50051. Or a socket of this machine,
// unix:/PATH, which is all of `host`; its port is 0.
struct Address {
  std::string host;
  uint16_t port = 0;

  bool is_unix() const { return host.compare(0, 6, "unix:/") == 0; }

  std::string ToString() const;
  friend bool operator==(const Address&, const Address&) = default;
  friend auto operator<=>(const Address&, const Address&) = default;
};

// INVALID_ARGUMENT, with the text, when it is neither HOST:PORT nor unix:/PATH.
// Port 0 is allowed only to listen on; a path has 2 to 100 bytes, none of them
// a comma or white space.
absl::StatusOr<Address> ParseAddress(std::string_view text,
                                     bool allow_port_zero = false);

// "localhost", 127.0.0.0/8, ::1 or unix:/PATH: what only this machine reaches.
// No name is looked up.
bool IsLoopback(std::string_view host);

// "HOST:PORT,HOST:PORT,..."; doubles are refused.
absl::StatusOr<std::vector<Address>> ParseAddressList(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_ADDRESS_H_
