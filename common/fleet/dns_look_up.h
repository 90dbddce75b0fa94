// One look-up of a host name, with c-ares.
#ifndef TRIBUTARY_COMMON_FLEET_DNS_LOOK_UP_H_
#define TRIBUTARY_COMMON_FLEET_DNS_LOOK_UP_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/fleet/address.h"
#include "common/fleet/host_resolver.h"

namespace tributary {

// Looks `name.host` up and waits for the result in the caller's thread, as
// SystemHostResolver describes it. Returns nullopt, soon, once `stop_fd` is
// readable.
std::optional<absl::StatusOr<Resolution>> LookUpHost(
    const Address& name, const HostResolverOptions& options, int stop_fd);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_DNS_LOOK_UP_H_
