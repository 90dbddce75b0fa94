#include "cli/fleet_query.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/parse_header.h"
#include "cli/command.h"
#include "common/proto/wire.pb.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "trainer_client/core/fleet_calls.h"

namespace tributary {
namespace {

absl::StatusOr<ServerReport> ToReport(const CallReply& reply) {
  if (reply.kind != MessageKind::kDescribeReply) {
    return absl::InternalError(
        absl::StrCat("answered by ", MessageKindName(reply.kind)));
  }
  ASSIGN_OR_RETURN(const auto told,
                   ParseHeader<v1::DescribeReply>(reply.kind, reply.header));
  ServerReport report;
  ASSIGN_OR_RETURN(report.schema, GraphSchema::FromJson(told.graph_json()));
  report.wire_version = told.wire_version();
  report.partitions.assign(told.partitions().begin(), told.partitions().end());
  report.incarnation = told.incarnation();
  report.draining = told.draining();
  report.budget_bytes = told.budget_bytes();
  for (const v1::PeerState& peer : told.peers()) {
    report.peers.push_back(
        {peer.address(),
         peer.healthy(),
         {peer.partitions().begin(), peer.partitions().end()}});
  }
  return report;
}

CallRequest DescribeCall() {
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  return {MessageKind::kDescribeRequest, request.SerializeAsString()};
}

void Probe(size_t server, absl::Time deadline, int probes, FleetCalls& calls,
           ServerAnswer& answer) {
  for (int i = 0; i < probes; ++i) {
    const std::vector<FleetReply> replies =
        calls.Call({server}, DescribeCall(), deadline);
    if (replies.empty() || !replies.front().reply.ok()) return;
    answer.round_trip =
        std::min(answer.round_trip.value_or(absl::InfiniteDuration()),
                 replies.front().took);
  }
}

std::vector<ServerAnswer> Ask(const std::vector<Address>& addresses,
                              absl::Duration timeout, int probes,
                              ThreadPool& pool) {
  const absl::Time deadline = pool.Now() + timeout;
  GrpcTransport transport;
  FleetCalls calls(addresses, &transport, &pool);
  std::vector<ServerAnswer> answers;
  std::vector<size_t> all;
  for (const Address& address : addresses) {
    all.push_back(answers.size());
    answers.push_back({address, absl::DeadlineExceededError("no answer"), {}});
  }
  for (FleetReply& r : calls.Call(all, DescribeCall(), deadline)) {
    answers[r.server].report =
        r.reply.ok() ? ToReport(*r.reply)
                     : absl::StatusOr<ServerReport>(r.reply.status());
  }
  for (const size_t server : all) {
    if (!answers[server].report.ok()) continue;
    Probe(server, deadline, probes, calls, answers[server]);
  }
  std::sort(answers.begin(), answers.end(),
            [](const ServerAnswer& a, const ServerAnswer& b) {
              return a.address < b.address;
            });
  return answers;
}

}  // namespace

absl::StatusOr<std::vector<ServerAnswer>> AskServers(const std::string& servers,
                                                     absl::Duration timeout,
                                                     int probes) {
  auto source = ParseDiscoverySource(servers);
  if (!source.ok()) {
    return UsageError(
        absl::StrCat("--servers: ", std::string(source.status().message())));
  }
  ThreadPool pool("fleet", 1);
  ASSIGN_OR_RETURN(const std::vector<Address> addresses,
                   ListServers(*std::move(source), timeout, pool));
  return Ask(addresses, timeout, probes, pool);
}

}  // namespace tributary
