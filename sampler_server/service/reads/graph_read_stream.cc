#include "sampler_server/service/reads/graph_read_stream.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/proto/graph_reads.pb.h"
#include "common/text/status.h"
#include "sampler_server/service/leaf/unread_rows.h"
#include "sampler_server/service/reads/graph_reads.h"

namespace tributary {
namespace {

// A call from its arrival to its reply.
struct GraphRead {
  IncomingCall call;
  Reservation request;
  absl::Time arrived;
  std::shared_ptr<HeldGraph> graph;  // set once the header is parsed
};

absl::Status CheckInTime(Executor& executor, const GraphRead& read,
                         uint64_t timeout_ms) {
  if (read.call.cancel.cancelled()) {
    return absl::CancelledError("the caller no longer waits");
  }
  const absl::Duration waited = executor.Now() - read.arrived;
  if (waited < absl::Milliseconds(timeout_ms)) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("waited ", absl::FormatDuration(waited), " of ", timeout_ms,
                   " ms for its turn"));
}

// Runs one of the functions of graph_reads.h.
class ReadServer {
 public:
  ReadServer(ServiceCore& core, Executor& executor, ByteBudget& budget,
             GraphRead& read)
      : core_(core), executor_(executor), budget_(budget), read_(read) {}

  absl::StatusOr<LeafReply> Serve() {
    switch (read_.call.kind) {
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
      const LeafLimits&, ByteBudget&)) {
    const IncomingCall& call = read_.call;
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<Request>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(executor_, read_, request.timeout_ms()));
    ASSIGN_OR_RETURN(read_.graph,
                     core_.graphs.WithLayout(request.layout_digest()));
    return serve(read_.graph->graph(), request, call.payload.span(),
                 core_.leaf_limits, budget_);
  }

  ServiceCore& core_;
  Executor& executor_;
  ByteBudget& budget_;
  GraphRead& read_;
};

CallAnswer ToAnswer(MessageKind request, LeafReply reply) {
  CallAnswer answer;
  // Each reply's number follows its request's.
  answer.kind = static_cast<MessageKind>(static_cast<uint16_t>(request) + 1);
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

void ServeGraphRead(std::shared_ptr<ServiceCore> core, Executor* executor,
                    std::shared_ptr<ByteBudget> budget, IncomingCall call,
                    Reservation request, absl::Time arrived,
                    CallResponder respond) {
  GraphRead read{std::move(call), std::move(request), arrived, nullptr};
  auto reply = ReadServer(*core, *executor, *budget, read).Serve();
  if (!reply.ok()) return respond(reply.status());
  UnreadRowsContext context;
  context.reader = read.graph->served.rows;
  context.graph = read.graph;
  context.executor = executor;
  context.arrived = arrived;
  context.cancel = read.call.cancel;
  ReadUnreadRows(std::move(context), *std::move(reply),
                 [core = std::move(core), read = std::move(read),
                  respond = std::move(respond)](
                     absl::StatusOr<LeafReply> complete) mutable {
                   if (!complete.ok()) return respond(complete.status());
                   respond(ToAnswer(read.call.kind, *std::move(complete)));
                 });
}

}  // namespace tributary
