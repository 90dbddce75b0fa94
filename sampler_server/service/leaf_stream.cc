#include "sampler_server/service/leaf_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "channel/parse_header.h"
#include "common/fault_point.h"
#include "common/log.h"
#include "common/status.h"

namespace tributary {
namespace {

// As many as one peer's CallClient sends; the leaf budget bounds their bytes.
constexpr size_t kMaxCallsPerStream = 256;

// A call that waits for its turn on the leaf executor.
struct LeafCall {
  IncomingCall call;
  Reservation request;  // of header and payload
  absl::Time arrived;
};

absl::Status CheckInTime(const ServiceCore& core, const LeafCall& leaf,
                         uint64_t timeout_ms) {
  if (leaf.call.cancel.cancelled()) {
    return absl::CancelledError("the caller no longer waits");
  }
  const absl::Duration waited = core.leaf_executor->Now() - leaf.arrived;
  if (waited < absl::Milliseconds(timeout_ms)) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("waited ", absl::FormatDuration(waited), " of ", timeout_ms,
                   " ms for its turn"));
}

absl::StatusOr<LeafReply> Serve(ServiceCore& core, const LeafCall& leaf) {
  RETURN_IF_ERROR(FaultPoint("leaf.serve"));
  const IncomingCall& call = leaf.call;
  if (call.kind == MessageKind::kSampleHopRequest ||
      call.kind == MessageKind::kDrawHopRequest ||
      call.kind == MessageKind::kEligibleHopRequest) {
    core.metrics.leaf_hops.Add();
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<v1::SampleHopRequest>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
    return ServeSampleHop(*core.graph, request, call.payload.span(),
                          core.leaf_limits, *core.leaf_budget);
  }
  if (call.kind == MessageKind::kGatherRequest ||
      call.kind == MessageKind::kConvertGatherRequest) {
    core.metrics.leaf_gathers.Add();
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<v1::GatherRequest>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
    return ServeGather(*core.graph, request, call.payload.span(),
                       core.leaf_limits, *core.leaf_budget);
  }
  if (call.kind == MessageKind::kAskKindRequest) {
    core.metrics.leaf_questions.Add();
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<v1::AskKindRequest>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
    return ServeAskKind(*core.graph, request, call.payload.span(),
                        core.leaf_limits, *core.leaf_budget);
  }
  return absl::UnimplementedError(
      absl::StrCat(MessageKindName(call.kind), " is no call of a leaf stream"));
}

MessageKind ReplyTo(MessageKind request) {
  switch (request) {
    case MessageKind::kGatherRequest:
    case MessageKind::kConvertGatherRequest:
      return MessageKind::kGatherReply;
    case MessageKind::kAskKindRequest:
      return MessageKind::kAskKindReply;
    default:
      return MessageKind::kSampleHopReply;
  }
}

CallAnswer ToAnswer(MessageKind request, LeafReply reply) {
  CallAnswer answer;
  answer.kind = ReplyTo(request);
  answer.header = std::move(reply.header);
  auto owner = std::make_shared<LeafReply>(std::move(reply));
  answer.payload = std::as_const(owner->payload).span();
  answer.payload_owner = std::move(owner);
  return answer;
}

void Answer(ServiceCore& core, const LeafCall& leaf, CallResponder respond) {
  auto reply = Serve(core, leaf);
  if (!reply.ok()) {
    core.metrics.leaf_errors.Add();
    LogRepeated(LogLevel::kDebug, absl::StrCat("leaf call of ", leaf.call.peer),
                absl::StrCat("leaf call of ", leaf.call.peer, ": ",
                             reply.status().ToString()));
    return respond(reply.status());
  }
  core.metrics.leaf_bytes.Add(static_cast<double>(reply->payload.size()));
  respond(ToAnswer(leaf.call.kind, *std::move(reply)));
}

}  // namespace

std::shared_ptr<StreamHandler> ServeLeafCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              std::string peer) {
  auto serve = [core = std::move(core)](IncomingCall call,
                                        CallResponder respond) {
    auto request =
        core->leaf_budget->TryReserve(call.header.size() + call.payload.size());
    if (!request.ok()) return respond(request.status());
    LeafCall leaf{std::move(call), *std::move(request),
                  core->leaf_executor->Now()};
    core->leaf_executor->Post(
        [core, leaf = std::move(leaf), respond = std::move(respond)]() mutable {
          Answer(*core, leaf, std::move(respond));
        });
  };
  CallServerOptions options;
  options.max_concurrent = kMaxCallsPerStream;
  return ServeCalls(std::move(stream), std::move(peer), std::move(serve),
                    options);
}

}  // namespace tributary
