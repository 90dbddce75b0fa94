// Where the list of a fleet's servers comes from, as users write it.
#ifndef TRIBUTARY_COMMON_FLEET_DISCOVERY_SOURCE_H_
#define TRIBUTARY_COMMON_FLEET_DISCOVERY_SOURCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/fleet/address.h"

namespace tributary {

struct DiscoverySource {
  enum class Kind { kStatic, kFile, kDns };
  Kind kind = Kind::kStatic;
  std::vector<Address> addresses;  // kStatic
  std::string path;                // kFile
  Address name;                    // kDns: the name to look up, and the port
};

// HOST:PORT,... | file:PATH | dns:///NAME:PORT. INVALID_ARGUMENT with the text
// and what is allowed.
absl::StatusOr<DiscoverySource> ParseDiscoverySource(std::string_view text);

// The text of an ip_config file: a server a line, "HOST:PORT" or "HOST PORT";
// what follows # is a comment; a double counts once. INVALID_ARGUMENT with
// `path` and the number of the first line that is neither.
absl::StatusOr<std::vector<Address>> ParseServerFile(std::string_view text,
                                                     std::string_view path);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_DISCOVERY_SOURCE_H_
