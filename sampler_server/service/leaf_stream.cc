#include "sampler_server/service/leaf_stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "channel/parse_header.h"
#include "common/observe/log.h"
#include "common/observe/log_format.h"
#include "common/proto/trace.pb.h"
#include "common/runtime/fault_point.h"
#include "common/runtime/stop_check.h"
#include "common/text/status.h"
#include "common/trace/trace_fields.h"
#include "sampler_server/service/leaf/unread_rows.h"

namespace tributary {
namespace {

// As many as a peer's CallClient has outstanding; the leaf budget bounds their
// bytes.
constexpr size_t kMaxCallsPerStream = 256;

// A call from its arrival to its reply.
struct LeafCall {
  IncomingCall call;
  BudgetShare::Hold request;  // for header and payload
  std::shared_ptr<BudgetShare> replies;
  absl::Time arrived;
  absl::Time began;      // its turn
  absl::Time served;     // but for rows in files
  std::string trace_id;  // of the batch that it is for; set as `graph`
  std::shared_ptr<HeldGraph> graph;  // set once the header is parsed
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

// ServeSampleHop, ServeGather or ServeQuestion.
template <typename Request>
using ServeFunction = absl::StatusOr<LeafReply> (*)(const Graph&,
                                                    const Request&,
                                                    absl::Span<const uint8_t>,
                                                    const LeafLimits&,
                                                    BudgetShare&);

// Finds the request's graph, which it sets in `leaf`, and answers from it.
template <typename Request>
absl::StatusOr<LeafReply> ServeWith(ServeFunction<Request> serve,
                                    ServiceCore& core, LeafCall& leaf) {
  const IncomingCall& call = leaf.call;
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<Request>(call.kind, call.header));
  if (request.trace_id().size() == kTraceIdBytes) {
    leaf.trace_id = request.trace_id();
  }
  RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
  ASSIGN_OR_RETURN(leaf.graph, core.graphs.WithLayout(request.layout_digest()));
  RETURN_IF_ERROR(leaf.graph->graph().damage());
  StopCheck stop(call.cancel,
                 leaf.arrived + absl::Milliseconds(request.timeout_ms()),
                 &core.leaf_executor->clock());
  LeafLimits limits = core.leaf_limits;
  limits.stop = &stop;
  return serve(leaf.graph->graph(), request, call.payload.span(), limits,
               *leaf.replies);
}

absl::StatusOr<LeafReply> Serve(ServiceCore& core, LeafCall& leaf) {
  RETURN_IF_ERROR(FaultPoint("leaf.serve"));
  switch (leaf.call.kind) {
    case MessageKind::kSampleHopRequest:
      core.metrics.leaf_hops.Add();
      return ServeWith(ServeSampleHop, core, leaf);
    case MessageKind::kGatherRequest:
      core.metrics.leaf_gathers.Add();
      return ServeWith(ServeGather, core, leaf);
    case MessageKind::kQuestionRequest:
      core.metrics.leaf_questions.Add();
      return ServeWith(ServeQuestion, core, leaf);
    default:
      return absl::UnimplementedError(
          absl::StrCat(MessageKindName(leaf.call.kind),
                       " is no call of a leaf stream: SampleHopRequest, "
                       "GatherRequest and QuestionRequest are"));
  }
}

// Requires a kind that Serve answers.
MessageKind ReplyTo(MessageKind request) {
  switch (request) {
    case MessageKind::kGatherRequest:
      return MessageKind::kGatherReply;
    case MessageKind::kQuestionRequest:
      return MessageKind::kQuestionReply;
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

v1::LeafTimes TimesOf(const LeafCall& leaf, absl::Time now) {
  v1::LeafTimes times;
  times.set_queue_us(TraceMicros(leaf.began - leaf.arrived));
  times.set_work_us(TraceMicros(leaf.served - leaf.began));
  times.set_disk_us(TraceMicros(now - leaf.served));
  return times;
}

// All replies have the times under the same number: messages merge by
// concatenation.
void AddTimes(const v1::LeafTimes& times, LeafReply* reply) {
  v1::LeafReplyTrace trace;
  *trace.mutable_times() = times;
  trace.AppendToString(&reply->header);
}

LogFields FieldsOf(const LeafCall& leaf) {
  if (leaf.trace_id.empty()) return {};
  return {{"trace_id", absl::BytesToHexString(leaf.trace_id)}};
}

void LogTraced(const LeafCall& leaf, const v1::LeafTimes& times) {
  if (leaf.trace_id.empty() || !LogEnabled(LogLevel::kDebug)) return;
  LogFields fields = FieldsOf(leaf);
  fields.push_back({"call", MessageKindName(leaf.call.kind)});
  fields.push_back({"peer", leaf.call.caller->address});
  fields.push_back({"queue_us", times.queue_us()});
  fields.push_back({"work_us", times.work_us()});
  fields.push_back({"disk_us", times.disk_us()});
  Log(LogLevel::kDebug, "peer answered", fields);
}

void Respond(ServiceCore& core, const LeafCall& leaf,
             absl::StatusOr<LeafReply> reply, CallResponder respond) {
  // Read after everything else that the reply was made of.
  const absl::Status damage = DamageOf(leaf.graph.get());
  if (!damage.ok()) reply = damage;
  if (!reply.ok()) {
    core.metrics.leaf_errors.Add();
    LogRepeated(LogLevel::kDebug, "leaf call", leaf.call.caller->share_key(),
                absl::StrCat("leaf call of ", leaf.call.caller->address, ": ",
                             reply.status().ToString()),
                FieldsOf(leaf));
    return respond(reply.status());
  }
  core.metrics.leaf_bytes.Add(static_cast<double>(reply->payload.size()));
  const v1::LeafTimes times = TimesOf(leaf, core.leaf_executor->Now());
  AddTimes(times, &*reply);
  LogTraced(leaf, times);
  respond(ToAnswer(leaf.call.kind, *std::move(reply)));
}

void Answer(std::shared_ptr<ServiceCore> core, LeafCall leaf,
            CallResponder respond) {
  leaf.began = core->leaf_executor->Now();
  auto reply = Serve(*core, leaf);
  leaf.served = core->leaf_executor->Now();
  if (!reply.ok()) {
    return Respond(*core, leaf, std::move(reply), std::move(respond));
  }
  UnreadRowsContext context;
  context.reader = leaf.graph->served.rows;
  context.graph = leaf.graph;
  context.executor = core->leaf_executor;
  context.arrived = leaf.arrived;
  context.cancel = leaf.call.cancel;
  ReadUnreadRows(std::move(context), *std::move(reply),
                 [core, leaf = std::move(leaf), respond = std::move(respond)](
                     absl::StatusOr<LeafReply> read) mutable {
                   Respond(*core, leaf, std::move(read), std::move(respond));
                 });
}

}  // namespace

std::shared_ptr<StreamHandler> ServeLeafCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              CallerPtr caller) {
  const std::string key = caller->share_key();
  // Apart, so that a peer whose replies are read may always have one more,
  // whatever it asks for next.
  auto requests = core->leaf_budget->Open(key + " (requests)");
  auto replies = core->leaf_budget->Open(key);
  stream = core->streams->Open(StreamMethod::kLeaf, *caller, std::move(stream),
                               replies);
  const TurnOwner owner{"", key, core->leaf_turns->NewStream()};
  auto serve = [core = std::move(core), owner, requests, replies](
                   IncomingCall call, CallResponder respond) {
    auto request = requests->TryTake(call.header.size() + call.payload.size());
    if (!request.ok()) return respond(request.status());
    LeafCall leaf{std::move(call), *std::move(request), replies,
                  core->leaf_executor->Now()};
    core->leaf_turns->Post(owner,
                           [core, leaf = std::move(leaf),
                            respond = std::move(respond)](WorkSlice&) mutable {
                             Answer(core, std::move(leaf), std::move(respond));
                           });
  };
  CallServerOptions options;
  options.max_concurrent = kMaxCallsPerStream;
  return ServeCalls(std::move(stream), std::move(caller), std::move(serve),
                    options);
}

}  // namespace tributary
