// Calls every server of a list and waits for the replies.
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

// Returns the first list of servers that `source` gives; waits in the caller's
// thread. NOT_FOUND: the list is empty. DEADLINE_EXCEEDED: no list within
// `timeout`. Other errors are the source's own. `pool` runs the source.
absl::StatusOr<std::vector<Address>> ListServers(DiscoverySource source,
                                                 absl::Duration timeout,
                                                 ThreadPool& pool);

struct FleetReply {
  size_t server = 0;  // position in the list
  absl::Duration took;
  absl::StatusOr<CallReply> reply;
};

// Holds a connection to each server of a list. Not thread-safe; calls wait in
// the caller's thread.
class FleetCalls {
 public:
  // `transport` and `pool` outlive it.
  FleetCalls(const std::vector<Address>& addresses, Transport* transport,
             ThreadPool* pool, StreamMethod method = StreamMethod::kControl);

  // Sends the same call to each of `servers` (positions in the list) and
  // returns the replies in the order in which they come. A server that has not
  // answered by `deadline` has DEADLINE_EXCEEDED; it is missing only if this
  // machine notices the deadline seconds too late. A reply's payload has at
  // most `max_reply_bytes`.
  std::vector<FleetReply> Call(const std::vector<size_t>& servers,
                               const CallRequest& request, absl::Time deadline,
                               size_t max_reply_bytes = 0);

 private:
  ThreadPool* const pool_;
  std::vector<std::unique_ptr<CallClient>> clients_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_FLEET_CALLS_H_
