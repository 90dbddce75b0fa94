#include "cli/query/fleet_connection.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "channel/transports/network_choice.h"
#include "common/fleet/discovery_source.h"

namespace tributary {

namespace {

absl::StatusOr<std::unique_ptr<NetworkTransport>> TransportFor(Carrier carrier,
                                                               TlsFiles tls) {
  const NetworkTransportOptions options{.carrier = Carrier::kGrpc,
                                        .tls = std::move(tls)};
  if (carrier == Carrier::kTcp) return MakeTcpTransport(options);
  return MakeNetworkTransport(options);
}

}  // namespace

FleetConnection::~FleetConnection() {
  calls_ = nullptr;
  transport_->Shutdown();
}

absl::StatusOr<std::unique_ptr<FleetConnection>> FleetConnection::Open(
    const FleetAccess& access, StreamMethod method, absl::Duration timeout,
    Carrier carrier) {
  ASSIGN_OR_RETURN(DiscoverySource source, CheckAccess(access));
  ASSIGN_OR_RETURN(auto transport, TransportFor(carrier, access.tls));
  std::unique_ptr<FleetConnection> fleet(
      new FleetConnection(std::move(transport)));
  fleet->deadline_ = fleet->pool_.Now() + timeout;
  ASSIGN_OR_RETURN(fleet->addresses_,
                   ListServers(std::move(source), timeout, fleet->pool_));
  std::sort(fleet->addresses_.begin(), fleet->addresses_.end());
  fleet->calls_ = std::make_unique<FleetCalls>(
      fleet->addresses_, fleet->transport_.get(), &fleet->pool_, method);
  return fleet;
}

std::vector<absl::StatusOr<CallReply>> FleetConnection::CallAll(
    const CallRequest& request) {
  std::vector<absl::StatusOr<CallReply>> replies;
  for (size_t i = 0; i < addresses_.size(); ++i) {
    replies.push_back(absl::DeadlineExceededError("no answer"));
  }
  std::vector<size_t> all(addresses_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (FleetReply& reply : calls_->Call(all, request, deadline_)) {
    replies[reply.server] = std::move(reply.reply);
  }
  return replies;
}

absl::StatusOr<CallReply> FleetConnection::Call(size_t server,
                                                const CallRequest& request) {
  auto replies = calls_->Call({server}, request, deadline_);
  if (replies.empty()) return absl::DeadlineExceededError("no answer");
  return std::move(replies.front().reply);
}

}  // namespace tributary
