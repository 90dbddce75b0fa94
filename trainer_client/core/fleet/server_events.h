// The events that servers report to the loader.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_EVENTS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_EVENTS_H_

#include <vector>

#include "absl/status/status.h"
#include "trainer_client/core/fleet/control_calls.h"
#include "trainer_client/core/fleet/grant_end.h"
#include "trainer_client/core/fleet/open_grant.h"

namespace tributary {

class ServerLink;

// The events of a server's life. ServerLink reports to its ServerFleet, which
// passes them on to whoever uses the fleet: SessionOpener, then LoaderCore.
// Called on the strand.
class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  // An error refuses the server (another graph): it stays down with that
  // status as its problem.
  virtual absl::Status OnDescribed(ServerLink& link,
                                   const ServerDescription& description) = 0;
  virtual void OnServerUp(ServerLink& link) = 0;
  // The server went down, or an attempt to connect failed. `lost`: its open
  // grants. Their slots stay held until their streams have closed.
  virtual void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) = 0;
  virtual void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                          GrantEnd end) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_EVENTS_H_
