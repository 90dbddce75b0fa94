// Asks every server of a list what it is: what `status` and `doctor` look at.
#ifndef TRIBUTARY_CLI_FLEET_FLEET_QUERY_H_
#define TRIBUTARY_CLI_FLEET_FLEET_QUERY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/fleet/graph_name.h"
#include "partition/schema/schema.h"

namespace tributary {

// One server of which another one says whether it answers.
struct PeerReport {
  std::string address;
  bool healthy = false;
  std::vector<uint32_t> partitions;
};

// What a server said of itself and of a graph that it holds.
struct ServerReport {
  uint32_t wire_version = 0;
  GraphSchema schema;
  std::vector<uint32_t> partitions;  // that it owns
  uint64_t incarnation = 0;          // differs at each start
  bool draining = false;             // or the graph is being retired
  uint64_t budget_bytes = 0;
  std::vector<PeerReport> peers;
};

struct ServerAnswer {
  Address address;
  // Of each graph, the newest last, at least one; or why there is none.
  absl::StatusOr<std::vector<ServerReport>> reports;
  // The shortest of a few calls on an open connection, by this machine's
  // clock alone. None when it answered only once.
  std::optional<absl::Duration> round_trip;
};

// `servers` is HOST:PORT,... | file:PATH | dns:///NAME:PORT; each is asked
// `probes` times more than is needed, and all within `timeout`. Of graphs that
// `graph` does not match nothing is said; who holds no other is NOT_FOUND. By
// address. A usage error when `servers` is none of these; NOT_FOUND when the
// list is empty.
absl::StatusOr<std::vector<ServerAnswer>> AskServers(const std::string& servers,
                                                     const GraphName& graph,
                                                     absl::Duration timeout,
                                                     int probes = 0);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_FLEET_QUERY_H_
