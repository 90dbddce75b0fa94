// The page that a server shows of its fleet.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_STATUS_PAGE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_STATUS_PAGE_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "channel/http/http_server.h"
#include "common/identity/identity.h"
#include "common/proto/status.pb.h"
#include "common/status/fleet_status.h"

namespace tributary {

// Returns the page for `client`. `own` is what the server tells that client of
// itself, `address` its own address, `peers` what it knows of the others. A
// trainer is shown its own job alone, summed over the fleet.
HttpReply StatusPageFor(const Identity& client, const std::string& address,
                        v1::ServerStatus own, std::vector<ServerView> peers,
                        absl::Time at);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_STATUS_PAGE_H_
