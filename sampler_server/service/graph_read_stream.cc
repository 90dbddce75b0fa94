#include "sampler_server/service/graph_read_stream.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/proto/graph_reads.pb.h"
#include "common/text/status.h"
#include "sampler_server/service/leaf/unread_rows.h"
#include "sampler_server/service/reads/graph_reads.h"
#include "sampler_server/service/visible_graphs.h"

namespace tributary {
namespace {

// A call, the graph that it reads and its read, once they are known.
struct GraphRead {
  std::shared_ptr<ServiceCore> core;
  DataCall data;
  std::string job;
  CallResponder respond;
  uint64_t timeout_ms = 0;
  std::shared_ptr<HeldGraph> graph;
  std::optional<ItemRead> items;
  int steps = 0;
};
using GraphReadPtr = std::shared_ptr<GraphRead>;

// What a read reads, by its type.
const Graph& Take(const HeldGraph& held, const Graph*) { return held.graph(); }
const HotLists& Take(const HeldGraph& held, const HotLists*) {
  return held.served.hot_lists;
}

// Begins the read by one of the functions of graph_reads.h.
template <typename Source, typename Request>
absl::Status BeginWith(GraphRead& read, absl::StatusOr<ItemRead> (*begin)(
                                            const Source&, const Request&,
                                            absl::Span<const uint8_t>,
                                            const LeafLimits&, BudgetShare&)) {
  const IncomingCall& call = read.data.call;
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<Request>(call.kind, call.header));
  read.timeout_ms = request.timeout_ms();
  RETURN_IF_ERROR(read.data.CheckWanted(read.timeout_ms));
  ASSIGN_OR_RETURN(read.graph,
                   ReadableLayout(*read.core, *call.caller, read.job,
                                  request.layout_digest()));
  RETURN_IF_ERROR(read.graph->graph().damage());
  ASSIGN_OR_RETURN(
      read.items,
      begin(Take(*read.graph, static_cast<const Source*>(nullptr)), request,
            call.payload.span(), read.core->leaf_limits, *read.data.replies));
  return absl::OkStatus();
}

absl::Status Begin(GraphRead& read) {
  switch (read.data.call.kind) {
    case MessageKind::kLocateNodesRequest:
      return BeginWith(read, BeginLocateNodes);
    case MessageKind::kLocateEdgesRequest:
      return BeginWith(read, BeginLocateEdges);
    case MessageKind::kReadColumnRequest:
      return BeginWith(read, BeginReadColumn);
    case MessageKind::kFindEdgesRequest:
      return BeginWith(read, BeginFindEdges);
    case MessageKind::kReadHotListRequest:
      return BeginWith(read, BeginReadHotList);
    default:
      return BeginWith(read, BeginNodeDegrees);
  }
}

CallAnswer ToAnswer(const GraphRead& read, LeafReply reply) {
  CallAnswer answer;
  // Each reply's number follows its request's.
  answer.kind =
      static_cast<MessageKind>(static_cast<uint16_t>(read.data.call.kind) + 1);
  auto owner = std::make_shared<LeafReply>(std::move(reply));
  answer.payload = std::as_const(owner->payload).span();
  answer.payload_owner = std::move(owner);
  return answer;
}

void Refuse(GraphRead& read, const absl::Status& why) {
  const absl::Status damage = DamageOf(read.graph.get());
  read.respond(damage.ok() ? why : damage);
}

// Answers once the rows in files are read, too.
void Complete(const GraphReadPtr& read) {
  UnreadRowsContext context;
  context.reader = read->graph->served.rows;
  context.graph = read->graph;
  context.executor = read->core->data_executor;
  context.arrived = read->data.arrived;
  context.cancel = read->data.call.cancel;
  ReadUnreadRows(std::move(context), read->items->TakeReply(),
                 [read](absl::StatusOr<LeafReply> complete) {
                   const absl::Status damage = DamageOf(read->graph.get());
                   if (!damage.ok()) return read->respond(damage);
                   if (!complete.ok()) return read->respond(complete.status());
                   read->respond(ToAnswer(*read, *std::move(complete)));
                 });
}

// Reads on, in this turn and those that follow.
void Continue(const GraphReadPtr& read, WorkSlice& slice) {
  const absl::Status wanted = read->data.CheckWanted(read->timeout_ms);
  if (!wanted.ok()) return Refuse(*read, wanted);
  const auto complete = read->items->Step(slice);
  if (!complete.ok()) return Refuse(*read, complete.status());
  if (*complete) return Complete(read);
  read->data.turns->Post([read](WorkSlice& next) { Continue(read, next); },
                         ++read->steps);
}

}  // namespace

bool IsGraphRead(MessageKind kind) {
  switch (kind) {
    case MessageKind::kLocateNodesRequest:
    case MessageKind::kLocateEdgesRequest:
    case MessageKind::kReadColumnRequest:
    case MessageKind::kFindEdgesRequest:
    case MessageKind::kNodeDegreesRequest:
    case MessageKind::kReadHotListRequest:
      return true;
    default:
      return false;
  }
}

void ServeGraphRead(std::shared_ptr<ServiceCore> core, DataCall data,
                    std::string job, CallResponder respond, WorkSlice& slice) {
  const auto read = std::make_shared<GraphRead>(GraphRead{
      std::move(core), std::move(data), std::move(job), std::move(respond)});
  slice.Spend(read->data.call.payload.size());
  const absl::Status begun = Begin(*read);
  if (!begun.ok()) return Refuse(*read, begun);
  Continue(read, slice);
}

}  // namespace tributary
