#include "cli/fleet/fleet_query.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/envelope.h"
#include "cli/query/fleet_connection.h"
#include "common/fleet/graph_text.h"
#include "common/proto/wire.pb.h"
#include "common/text/status.h"
#include "trainer_client/core/fleet/fleet_calls.h"
#include "trainer_client/core/fleet/graph_text_reader.h"

namespace tributary {
namespace {

absl::StatusOr<v1::DescribeReply> ToReply(
    const absl::StatusOr<CallReply>& reply) {
  return ReplyAs<v1::DescribeReply>(reply, MessageKind::kDescribeReply);
}

double RatioOf(uint32_t permille) { return std::min(1000u, permille) / 1000.0; }

ServerReport ToReport(const v1::DescribeReply& told, GraphSchema schema) {
  ServerReport report;
  report.schema = std::move(schema);
  report.wire_version = told.wire_version();
  report.partitions.assign(told.partitions().begin(), told.partitions().end());
  report.incarnation = told.incarnation();
  report.draining = told.draining();
  report.takes_tcp = told.takes_tcp();
  report.budget_bytes = told.budget_bytes();
  report.busy_ratio = RatioOf(told.busy_permille());
  report.wait_ratio = RatioOf(told.wait_permille());
  for (const v1::PeerState& peer : told.peers()) {
    report.peers.push_back(
        {peer.address(),
         peer.healthy(),
         {peer.partitions().begin(), peer.partitions().end()}});
  }
  return report;
}

// Asks for the graph with that layout digest; if it is empty, for the newest.
CallRequest DescribeCall(const std::string& layout) {
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  request.set_layout_digest(layout);
  request.set_any(true);
  request.set_graph_text(v1::GRAPH_TEXT_NONE);
  return {MessageKind::kDescribeRequest, request.SerializeAsString()};
}

absl::StatusOr<Sha256Digest> ToDigest(const std::string& bytes) {
  Sha256Digest digest;
  if (bytes.size() != digest.size()) {
    return absl::InternalError(
        absl::StrCat("a digest of ", bytes.size(), " bytes"));
  }
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

// The questions to the servers of `fleet`, which outlives it.
class FleetQuery {
 public:
  explicit FleetQuery(FleetConnection& fleet)
      : calls_(fleet.calls()), deadline_(fleet.deadline()) {}

  std::vector<FleetReply> Describe(const std::vector<size_t>& servers,
                                   const std::string& layout) {
    return calls_.Call(servers, DescribeCall(layout), deadline_);
  }

  // Returns reports on all graphs of a server, given its reply on one of them.
  // Leaves out graphs that the server drops meanwhile.
  absl::StatusOr<std::vector<ServerReport>> ReportsOf(size_t server,
                                                      v1::DescribeReply told) {
    auto described = SchemaOf(server, told);
    while (absl::IsFailedPrecondition(described.status())) {
      // The graph has been replaced since: then the one that is newest now.
      const auto replies = Describe({server}, "");
      if (replies.empty()) return absl::DeadlineExceededError("no answer");
      ASSIGN_OR_RETURN(told, ToReply(replies.front().reply));
      described = SchemaOf(server, told);
    }
    ASSIGN_OR_RETURN(const GraphSchema schema, std::move(described));
    const Sha256Digest& layout = schema.layout_digest;
    const ServerReport first = ToReport(told, schema);
    if (told.graphs().empty()) return std::vector<ServerReport>{first};
    std::vector<ServerReport> reports;
    for (const v1::GraphState& graph : told.graphs()) {
      if (graph.layout_digest() == std::string(layout.begin(), layout.end())) {
        reports.push_back(first);
        continue;
      }
      const auto replies = Describe({server}, graph.layout_digest());
      if (replies.empty()) return absl::DeadlineExceededError("no answer");
      if (absl::IsFailedPrecondition(replies.front().reply.status())) continue;
      ASSIGN_OR_RETURN(const auto reply, ToReply(replies.front().reply));
      auto other = SchemaOf(server, reply);
      if (absl::IsFailedPrecondition(other.status())) continue;
      RETURN_IF_ERROR(other.status());
      reports.push_back(ToReport(reply, *std::move(other)));
    }
    return reports;
  }

  // Returns the shortest round trip of `probes` calls.
  std::optional<absl::Duration> RoundTrip(size_t server, int probes) {
    std::optional<absl::Duration> shortest;
    for (int i = 0; i < probes; ++i) {
      const std::vector<FleetReply> replies = Describe({server}, "");
      if (replies.empty() || !replies.front().reply.ok()) break;
      shortest = std::min(shortest.value_or(absl::InfiniteDuration()),
                          replies.front().took);
    }
    return shortest;
  }

 private:
  // Returns the schema of the graph that a server describes; reads its text
  // once for all servers.
  absl::StatusOr<GraphSchema> SchemaOf(size_t server,
                                       const v1::DescribeReply& told) {
    // A server that always sends the text and no digests.
    if (told.layout_digest().empty()) {
      return GraphSchema::FromJson(told.graph_json());
    }
    const auto known = schemas_.find(told.layout_digest());
    if (known != schemas_.end()) return known->second;
    ASSIGN_OR_RETURN(const std::string text, TextOf(server, told));
    ASSIGN_OR_RETURN(GraphSchema schema, GraphSchema::FromJson(text));
    return schemas_[told.layout_digest()] = std::move(schema);
  }

  absl::StatusOr<std::string> TextOf(size_t server,
                                     const v1::DescribeReply& told) {
    GraphTextId text{.bytes = told.graph_json_bytes()};
    ASSIGN_OR_RETURN(text.layout, ToDigest(told.layout_digest()));
    ASSIGN_OR_RETURN(text.sha256, ToDigest(told.graph_json_sha256()));
    ASSIGN_OR_RETURN(GraphTextPages pages,
                     GraphTextPages::Start(text.bytes, text.sha256));
    while (!pages.complete()) {
      const auto replies =
          calls_.Call({server}, GraphPageCall(text, pages.offset()), deadline_,
                      kGraphPageBytes);
      if (replies.empty()) return absl::DeadlineExceededError("no answer");
      const auto& reply = replies.front().reply;
      RETURN_IF_ERROR(reply.status());
      RETURN_IF_ERROR(CheckGraphPage(text, *reply));
      RETURN_IF_ERROR(pages.Add(reply->payload.span()));
    }
    return pages.Take();
  }

  FleetCalls& calls_;
  const absl::Time deadline_;
  std::map<std::string, GraphSchema> schemas_;  // by layout digest
};

absl::StatusOr<std::vector<ServerReport>> Matching(
    const GraphName& graph, absl::StatusOr<std::vector<ServerReport>> all) {
  if (!all.ok()) return all;
  std::vector<ServerReport> reports;
  std::vector<std::string> names;
  for (ServerReport& report : *all) {
    const GraphSchema& schema = report.schema;
    names.push_back(VersionedName(schema.name, schema.content_digest));
    if (graph.Matches(schema.name, schema.content_digest)) {
      reports.push_back(std::move(report));
    }
  }
  if (!reports.empty()) return reports;
  return absl::NotFoundError(absl::StrCat("graph '", graph.ToString(),
                                          "'; this server has ",
                                          absl::StrJoin(names, ", ")));
}

bool TakesTcp(const ServerAnswer& answer) {
  return answer.reports.ok() && answer.reports->front().takes_tcp;
}

// Asks those that take streams over TCP once over it.
absl::Status AskOverTcp(const FleetAccess& access, absl::Duration timeout,
                        std::vector<ServerAnswer>& answers) {
  if (std::none_of(answers.begin(), answers.end(), TakesTcp)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<FleetConnection> fleet,
                   FleetConnection::Open(access, StreamMethod::kControl,
                                         timeout, Carrier::kTcp));
  FleetQuery query(*fleet);
  std::map<Address, ServerAnswer*> asked;
  for (ServerAnswer& answer : answers) {
    if (!TakesTcp(answer)) continue;
    answer.tcp = absl::DeadlineExceededError("no answer");
    asked[answer.address] = &answer;
  }
  std::vector<size_t> servers;  // of the list as it is now
  for (size_t i = 0; i < fleet->addresses().size(); ++i) {
    if (asked.contains(fleet->addresses()[i])) servers.push_back(i);
  }
  for (const FleetReply& r : query.Describe(servers, "")) {
    asked[fleet->addresses()[r.server]]->tcp = ToReply(r.reply).status();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ServerAnswer>> AskServers(const FleetAccess& access,
                                                     const GraphName& graph,
                                                     absl::Duration timeout,
                                                     int probes) {
  ASSIGN_OR_RETURN(
      const std::unique_ptr<FleetConnection> fleet,
      FleetConnection::Open(access, StreamMethod::kControl, timeout));
  FleetQuery query(*fleet);
  std::vector<ServerAnswer> answers;
  std::vector<size_t> all;
  for (const Address& address : fleet->addresses()) {
    all.push_back(answers.size());
    answers.push_back(
        {address, absl::DeadlineExceededError("no answer"), {}, {}});
  }
  for (const FleetReply& r : query.Describe(all, "")) {
    const auto told = ToReply(r.reply);
    ServerAnswer& answer = answers[r.server];
    if (told.ok()) {
      answer.reports = Matching(graph, query.ReportsOf(r.server, *told));
      answer.round_trip = query.RoundTrip(r.server, probes);
    } else {
      answer.reports = told.status();
    }
  }
  if (probes > 0) RETURN_IF_ERROR(AskOverTcp(access, timeout, answers));
  return answers;
}

}  // namespace tributary
