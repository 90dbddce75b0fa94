#include "sampler_server/service/graph_read_stream.h"

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

// A call and the graph that it reads, once that is known.
struct GraphRead {
  DataCall data;
  std::string job;
  std::shared_ptr<HeldGraph> graph;
};

absl::Status CheckInTime(Executor& executor, const DataCall& data,
                         uint64_t timeout_ms) {
  if (data.call.cancel.cancelled()) {
    return absl::CancelledError("the caller no longer waits");
  }
  if (executor.Now() < data.Deadline(timeout_ms)) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("waited ", timeout_ms, " ms for its turn"));
}

// Runs one of the functions of graph_reads.h.
class ReadServer {
 public:
  ReadServer(ServiceCore& core, GraphRead& read) : core_(core), read_(read) {}

  absl::StatusOr<LeafReply> Serve() {
    switch (read_.data.call.kind) {
      case MessageKind::kLocateNodesRequest:
        return With(ServeLocateNodes);
      case MessageKind::kLocateEdgesRequest:
        return With(ServeLocateEdges);
      case MessageKind::kReadColumnRequest:
        return With(ServeReadColumn);
      case MessageKind::kFindEdgesRequest:
        return With(ServeFindEdges);
      default:
        return With(ServeNodeDegrees);
    }
  }

 private:
  template <typename Request>
  absl::StatusOr<LeafReply> With(absl::StatusOr<LeafReply> (*serve)(
      const Graph&, const Request&, absl::Span<const uint8_t>,
      const LeafLimits&, BudgetShare&)) {
    const IncomingCall& call = read_.data.call;
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<Request>(call.kind, call.header));
    RETURN_IF_ERROR(
        CheckInTime(*core_.data_executor, read_.data, request.timeout_ms()));
    ASSIGN_OR_RETURN(read_.graph, ReadableLayout(core_, *call.caller, read_.job,
                                                 request.layout_digest()));
    RETURN_IF_ERROR(read_.graph->graph().damage());
    return serve(read_.graph->graph(), request, call.payload.span(),
                 core_.leaf_limits, *read_.data.replies);
  }

  ServiceCore& core_;
  GraphRead& read_;
};

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

}  // namespace

bool IsGraphRead(MessageKind kind) {
  switch (kind) {
    case MessageKind::kLocateNodesRequest:
    case MessageKind::kLocateEdgesRequest:
    case MessageKind::kReadColumnRequest:
    case MessageKind::kFindEdgesRequest:
    case MessageKind::kNodeDegreesRequest:
      return true;
    default:
      return false;
  }
}

void ServeGraphRead(std::shared_ptr<ServiceCore> core, DataCall data,
                    std::string job, CallResponder respond) {
  GraphRead read{std::move(data), std::move(job), nullptr};
  auto reply = ReadServer(*core, read).Serve();
  if (!reply.ok()) {
    const absl::Status damage = DamageOf(read.graph.get());
    return respond(damage.ok() ? reply.status() : damage);
  }
  UnreadRowsContext context;
  context.reader = read.graph->served.rows;
  context.graph = read.graph;
  context.executor = core->data_executor;
  context.arrived = read.data.arrived;
  context.cancel = read.data.call.cancel;
  ReadUnreadRows(std::move(context), *std::move(reply),
                 [core = std::move(core), read = std::move(read),
                  respond = std::move(respond)](
                     absl::StatusOr<LeafReply> complete) mutable {
                   const absl::Status damage = DamageOf(read.graph.get());
                   if (!damage.ok()) return respond(damage);
                   if (!complete.ok()) return respond(complete.status());
                   respond(ToAnswer(read, *std::move(complete)));
                 });
}

}  // namespace tributary
