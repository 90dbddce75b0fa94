// How a command reaches the servers that it asks.
#ifndef TRIBUTARY_CLI_QUERY_FLEET_ACCESS_H_
#define TRIBUTARY_CLI_QUERY_FLEET_ACCESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/fleet/discovery_source.h"
#include "common/identity/tls_files.h"

namespace tributary {

struct FleetAccess {
  // HOST:PORT,... | file:PATH | dns:///NAME:PORT
  std::string servers;
  TlsFiles tls;  // empty: plain text
};

// Checks all of it before anything is connected, and returns where the servers
// are listed. A usage error when the list has another form or some of the TLS
// files are not given; the errors of ReadTlsMaterial() and
// CheckRoomForNetwork().
absl::StatusOr<DiscoverySource> CheckAccess(const FleetAccess& access);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_QUERY_FLEET_ACCESS_H_
