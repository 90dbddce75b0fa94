// Asks every server of a list for its state, for `status` and `doctor`.
#ifndef TRIBUTARY_CLI_FLEET_FLEET_QUERY_H_
#define TRIBUTARY_CLI_FLEET_FLEET_QUERY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/query/fleet_access.h"
#include "common/fleet/address.h"
#include "common/fleet/graph_name.h"
#include "partition/schema/schema.h"

namespace tributary {

// A server as one of its peers sees it.
struct PeerReport {
  std::string address;
  bool healthy = false;
  std::vector<uint32_t> partitions;
};

// A server's report on itself and on one graph that it holds.
struct ServerReport {
  uint32_t wire_version = 0;
  GraphSchema schema;
  std::vector<uint32_t> partitions;  // that it owns
  uint64_t incarnation = 0;          // differs at each start
  bool draining = false;             // the server; or it retires the graph
  bool takes_tcp = false;            // streams over TCP, beside gRPC
  uint64_t budget_bytes = 0;
  // Of the last minute: how much of the server's capacity was in use, and the
  // most that a trainer was blocked waiting for a batch; 0 to 1.
  double busy_ratio = 0;
  double wait_ratio = 0;
  std::vector<PeerReport> peers;
};

// The answer of one listed server.
struct ServerAnswer {
  Address address;
  // A report on each graph, the newest last, at least one; or the error of the
  // call.
  absl::StatusOr<std::vector<ServerReport>> reports;
  // The shortest round trip of a few calls on an open connection. None if the
  // server answered only once.
  std::optional<absl::Duration> round_trip;
  // What a call over TCP gave. None: it was not tried.
  std::optional<absl::Status> tcp;
};

// Asks all servers of the list `access.servers` within `timeout`; each `probes`
// times more than needed, to measure the round trip, and, if `probes` is not 0,
// over TCP as well where it takes that. Answers are ordered by address. Graphs
// that `graph` does not match are left out; a server without any other answers
// NOT_FOUND. Returns a usage error when the list has another form or some of
// the TLS files are not given; NOT_FOUND when the list is empty.
absl::StatusOr<std::vector<ServerAnswer>> AskServers(const FleetAccess& access,
                                                     const GraphName& graph,
                                                     absl::Duration timeout,
                                                     int probes = 0);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_FLEET_QUERY_H_
