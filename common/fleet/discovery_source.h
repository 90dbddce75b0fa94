// The source of a fleet's list of servers, as users write it.
#ifndef TRIBUTARY_COMMON_FLEET_DISCOVERY_SOURCE_H_
#define TRIBUTARY_COMMON_FLEET_DISCOVERY_SOURCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/fleet/address.h"

namespace tributary {

// A static list of addresses, a file of addresses, or a DNS name.
struct DiscoverySource {
  enum class Kind { kStatic, kFile, kDns };
  Kind kind = Kind::kStatic;
  std::vector<Address> addresses;  // kStatic
  std::string path;                // kFile
  Address name;  // kDns: the name to look up and the servers' port
};

// Parses "HOST:PORT,...", "file:PATH" or "dns:///NAME:PORT". INVALID_ARGUMENT,
// with the text and what is allowed, for anything else; also for a HOST without
// a port, which only lines of a file may have.
absl::StatusOr<DiscoverySource> ParseDiscoverySource(std::string_view text);

// Parses the text of an ip_config file: one server per line, "HOST:PORT", "HOST
// PORT" or, with DGL's default port, "HOST" (ParseAddressLine); comments begin
// with #; duplicates count once. INVALID_ARGUMENT, with `path` and the line
// number, for the first line that is none of these.
absl::StatusOr<std::vector<Address>> ParseServerFile(std::string_view text,
                                                     std::string_view path);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_DISCOVERY_SOURCE_H_
