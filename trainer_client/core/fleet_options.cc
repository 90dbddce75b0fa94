#include "trainer_client/core/fleet_options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"

namespace tributary {
namespace {

ServerLinkOptions LinkOptions(const RemoteDistSamplingWorkerOptions& worker,
                              Transport* transport,
                              std::shared_ptr<Strand> strand) {
  ServerLinkOptions link;
  link.transport = transport;
  link.strand = std::move(strand);
  link.num_streams = worker.num_workers;
  link.grants_per_stream = worker.worker_concurrency;
  link.client_name = worker.worker_key;
  // It was validated.
  link.graph = GraphName::Parse(worker.graph_name).value_or(GraphName());
  link.call_timeout = std::min(worker.rpc_timeout, absl::Seconds(5));
  // Servers report every 100 ms.
  link.silence = std::clamp(worker.rpc_timeout / 8, absl::Milliseconds(400),
                            absl::Seconds(2));
  link.credit_timeout = worker.rpc_timeout;
  return link;
}

}  // namespace

ServerFleetOptions FleetOptionsOf(const RemoteDistSamplingWorkerOptions& worker,
                                  const DiscoverySource& source,
                                  Transport* transport,
                                  std::shared_ptr<Strand> strand,
                                  HostResolver* resolver,
                                  uint64_t jitter_seed) {
  ServerFleetOptions fleet;
  fleet.source = source;
  fleet.server_rank = worker.server_rank;
  if (worker.server_rank.empty()) {
    fleet.num_clients = worker.num_clients;
    fleet.client_rank = worker.client_rank;
  }
  fleet.max_servers = static_cast<size_t>(worker.max_servers);
  // Ranks of a job keep their servers when they start again.
  fleet.client = absl::StrCat(worker.worker_key, "/",
                              worker.num_clients > 0
                                  ? absl::StrCat(worker.client_rank)
                                  : absl::StrCat("random ", jitter_seed));
  fleet.link = LinkOptions(worker, transport, std::move(strand));
  fleet.resolver = resolver;
  fleet.jitter_seed = jitter_seed;
  return fleet;
}

}  // namespace tributary
