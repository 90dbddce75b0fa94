// How a command reaches the servers that it asks.
#ifndef TRIBUTARY_CLI_QUERY_FLEET_ACCESS_H_
#define TRIBUTARY_CLI_QUERY_FLEET_ACCESS_H_

#include <string>

#include "common/identity/tls_files.h"

namespace tributary {

struct FleetAccess {
  // HOST:PORT,... | file:PATH | dns:///NAME:PORT
  std::string servers;
  TlsFiles tls;  // empty: plain text
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_QUERY_FLEET_ACCESS_H_
