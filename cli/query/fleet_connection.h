// Connections to every server of a list, for commands that ask them all.
#ifndef TRIBUTARY_CLI_QUERY_FLEET_CONNECTION_H_
#define TRIBUTARY_CLI_QUERY_FLEET_CONNECTION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/network.h"
#include "channel/parse_header.h"
#include "cli/query/fleet_access.h"
#include "common/fleet/address.h"
#include "common/runtime/thread_pool.h"
#include "common/text/status.h"
#include "trainer_client/core/fleet/fleet_calls.h"

namespace tributary {

// The servers of FleetAccess::servers, ordered by address. Calls wait in the
// caller's thread. Not thread-safe.
class FleetConnection {
 public:
  // Lists the servers and opens a connection to each, for streams of `method`.
  // All calls end within `timeout` from now. Returns a usage error when the
  // list has another form or some of the TLS files are not given; NOT_FOUND
  // when the list is empty.
  // `carrier`: kTcp carries streams of any method over TCP; others over gRPC.
  static absl::StatusOr<std::unique_ptr<FleetConnection>> Open(
      const FleetAccess& access, StreamMethod method, absl::Duration timeout,
      Carrier carrier = Carrier::kGrpc);
  ~FleetConnection();

  const std::vector<Address>& addresses() const { return addresses_; }
  // For calls to some of the servers, by their places in addresses().
  FleetCalls& calls() { return *calls_; }
  absl::Time deadline() const { return deadline_; }

  // Sends the same call to all servers at once. Returns a reply for each, in
  // the order of addresses(); DEADLINE_EXCEEDED of those that are silent.
  std::vector<absl::StatusOr<CallReply>> CallAll(const CallRequest& request);
  absl::StatusOr<CallReply> Call(size_t server, const CallRequest& request);

 private:
  explicit FleetConnection(std::unique_ptr<NetworkTransport> transport)
      : transport_(std::move(transport)) {}

  const std::unique_ptr<NetworkTransport> transport_;
  ThreadPool pool_{"fleet", 1};
  absl::Time deadline_;
  std::vector<Address> addresses_;
  std::unique_ptr<FleetCalls> calls_;
};

// Parses a reply of a kind. INTERNAL for a reply of another one.
template <typename Reply>
absl::StatusOr<Reply> ReplyAs(const absl::StatusOr<CallReply>& reply,
                              MessageKind kind) {
  RETURN_IF_ERROR(reply.status());
  if (reply->kind != kind) {
    return absl::InternalError(
        absl::StrCat("answered by ", MessageKindName(reply->kind)));
  }
  return ParseReplyHeader<Reply>(reply->kind, reply->header);
}

}  // namespace tributary

#endif  // TRIBUTARY_CLI_QUERY_FLEET_CONNECTION_H_
