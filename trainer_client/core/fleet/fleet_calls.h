// One call to every server of a list.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_FLEET_CALLS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_FLEET_CALLS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/fleet/discovery_source.h"
#include "common/runtime/thread_pool.h"

namespace tributary {

// The source's first reading. What the source says; NOT_FOUND when it lists
// nobody, DEADLINE_EXCEEDED when it does not answer in time.
absl::StatusOr<std::vector<Address>> ListServers(DiscoverySource source,
                                                 absl::Duration timeout,
                                                 ThreadPool& pool);

struct FleetReply {
  size_t server = 0;  // its number in the list
  absl::Duration took;
  absl::StatusOr<CallReply> reply;
};

// A connection to each. Waits in the caller's thread. Not thread-safe.
class FleetCalls {
 public:
  // Both outlive it.
  FleetCalls(const std::vector<Address>& addresses, Transport* transport,
             ThreadPool* pool);

  // The same call to each of `servers`. As they come, and all by `deadline`,
  // but for a machine so slow that it does not even notice.
  std::vector<FleetReply> Call(const std::vector<size_t>& servers,
                               const CallRequest& request, absl::Time deadline);

 private:
  ThreadPool* const pool_;
  std::vector<std::unique_ptr<CallClient>> clients_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_FLEET_CALLS_H_
