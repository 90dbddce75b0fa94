#include "cli/query/fleet_access.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "channel/transports/network_choice.h"
#include "cli/command/command.h"
#include "common/identity/tls_material.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<DiscoverySource> CheckAccess(const FleetAccess& access) {
  const absl::Status tls = CheckTlsFiles(access.tls);
  if (!tls.ok()) return UsageError(tls.message());
  if (!access.tls.empty()) {
    RETURN_IF_ERROR(ReadTlsMaterial(access.tls).status());
  }
  auto source = ParseDiscoverySource(access.servers);
  if (!source.ok()) {
    return UsageError(
        absl::StrCat("--servers: ", std::string(source.status().message())));
  }
  RETURN_IF_ERROR(CheckRoomForNetwork());
  return source;
}

}  // namespace tributary
