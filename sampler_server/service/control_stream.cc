#include "sampler_server/service/control_stream.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/fleet/graph_text.h"
#include "common/text/status.h"
#include "sampler_server/access/stream_job.h"
#include "sampler_server/service/batch_trace_call.h"
#include "sampler_server/service/control_calls.h"
#include "sampler_server/service/status_calls.h"
#include "sampler_server/service/visible_graphs.h"

namespace tributary {
namespace {

// As many as a client may have outstanding.
constexpr size_t kMaxUnreadAnswers = 64;
// Control streams of plain text name no job: they see all graphs.
constexpr char kNoJob[] = "";

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphOf(
    const GraphView& graphs, const v1::DescribeRequest& request) {
  if (!request.layout_digest().empty()) {
    return graphs.WithLayout(request.layout_digest());
  }
  if (!request.content_digest().empty()) {
    return graphs.WithContent(request.content_digest());
  }
  if (request.any() && request.graph().empty()) return graphs.Newest();
  ASSIGN_OR_RETURN(const GraphName name, GraphName::Parse(request.graph()));
  return graphs.Named(name);
}

v1::GraphState StateOf(const HeldGraph& held) {
  const GraphSchema& schema = held.schema();
  v1::GraphState state;
  state.set_name(schema.name);
  state.set_content_digest(schema.content_digest.data(),
                           schema.content_digest.size());
  state.set_layout_digest(schema.layout_digest.data(),
                          schema.layout_digest.size());
  state.set_num_partitions(
      static_cast<uint32_t>(held.graph().partitions().size()));
  state.set_draining(held.draining());
  return state;
}

uint32_t Permille(double ratio) {
  return static_cast<uint32_t>(std::lround(1000 * ratio));
}

void SetLoad(const ServiceCore& core, v1::DescribeReply& reply) {
  reply.set_takes_wait_reports(true);
  if (core.busy_ratio) reply.set_busy_permille(Permille(core.busy_ratio()));
  reply.set_wait_permille(
      Permille(core.wait_reports.Largest(core.protocol_executor->Now())));
}

// Returns whether the reply carries the text of graph.json. FAILED_PRECONDITION
// if the caller wants it there and it is too long.
absl::StatusOr<bool> CarriesText(const HeldGraph& held, v1::GraphText wanted) {
  const size_t bytes = held.graph().schema_json().size();
  if (wanted == v1::GRAPH_TEXT_NONE) return false;
  if (wanted == v1::GRAPH_TEXT_PAGED) return bytes <= kGraphPageBytes;
  if (bytes <= kMaxGraphTextInReply) return true;
  return absl::FailedPreconditionError(absl::StrCat(
      "graph.json of ", held.name(), " has ", bytes,
      " bytes; the caller takes it in one message, which holds ",
      kMaxGraphTextInReply, ": use a program of this server's release"));
}

absl::StatusOr<CallAnswer> Describe(const ServiceCore& core,
                                    const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::DescribeRequest>(call.kind, call.header));
  RETURN_IF_ERROR(CheckWireVersion(request.wire_version()));
  const GraphView graphs = VisibleGraphs(core, *call.caller, kNoJob);
  ASSIGN_OR_RETURN(const auto held, GraphOf(graphs, request));
  ASSIGN_OR_RETURN(const bool text, CarriesText(*held, request.graph_text()));
  v1::DescribeReply reply;
  reply.set_wire_version(kWireVersion);
  for (uint32_t p : held->graph().partitions()) reply.add_partitions(p);
  reply.set_incarnation(core.incarnation);
  reply.set_takes_tcp(core.takes_tcp);
  reply.set_draining(core.draining || held->draining());
  reply.set_budget_bytes(core.budget->limit());
  SetLoad(core, reply);
  if (held->served.peers) {
    for (v1::PeerState& peer : held->served.peers()) *reply.add_peers() = peer;
  }
  for (const auto& graph : graphs.graphs()) {
    *reply.add_graphs() = StateOf(*graph);
  }
  if (request.status() && SeesAllJobs(*call.caller)) {
    reply.set_status(StatusFor(core, *call.caller).SerializeAsString());
  }
  // Put together as they are: serialized messages merge by concatenation.
  std::string header = held->described;
  if (text) header += held->described_text;
  reply.AppendToString(&header);
  return CallAnswer{MessageKind::kDescribeReply, std::move(header)};
}

absl::StatusOr<CallAnswer> GetInputIds(const ServiceCore& core,
                                       const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::GetInputIdsRequest>(call.kind, call.header));
  ASSIGN_OR_RETURN(const auto held, ReadableContent(core, *call.caller, kNoJob,
                                                    request.content_digest()));
  ASSIGN_OR_RETURN(const InputIdsPage page,
                   ServeGetInputIds(held->graph(), request));
  CallAnswer answer{MessageKind::kGetInputIdsReply,
                    page.header.SerializeAsString()};
  RETURN_IF_ERROR(DamageOf(held.get()));
  answer.payload = {reinterpret_cast<const uint8_t*>(page.ids.data()),
                    page.ids.size() * sizeof(int64_t)};
  answer.payload_owner = held->served.graph;
  return answer;
}

// The page is a view of text that the server holds anyway, as pages of inputs
// are of mapped memory.
absl::StatusOr<CallAnswer> GetGraphJson(const ServiceCore& core,
                                        const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request, ParseHeader<v1::GetGraphJsonRequest>(
                                           call.kind, call.header));
  ASSIGN_OR_RETURN(const auto held, ReadableLayout(core, *call.caller, kNoJob,
                                                   request.layout_digest()));
  ASSIGN_OR_RETURN(const GraphJsonPage page,
                   ServeGetGraphJson(*held, request.offset()));
  CallAnswer answer{MessageKind::kGetGraphJsonReply,
                    page.header.SerializeAsString()};
  answer.payload = page.text;
  answer.payload_owner = held->served.graph;
  return answer;
}

absl::StatusOr<CallAnswer> Farewell(const ServiceCore& core,
                                    const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::FarewellRequest>(call.kind, call.header));
  StreamJob job(call.caller->identity);
  const auto name = job.Take(request.job());
  if (!name.ok()) {
    core.refusals->Note(CallerRefusals::kJob, *call.caller, name.status());
    return name.status();
  }
  const absl::Status recorded = core.farewells->Record(
      *call.caller, *name, request.client_rank(), request.num_clients());
  if (recorded.ok()) return CallAnswer{MessageKind::kFarewellReply, ""};
  core.refusals->Note(CallerRefusals::kFarewell, *call.caller, recorded);
  return recorded;
}

absl::StatusOr<CallAnswer> Serve(const ServiceCore& core,
                                 const IncomingCall& call) {
  if (call.kind == MessageKind::kDescribeRequest) return Describe(core, call);
  if (call.kind == MessageKind::kGetInputIdsRequest) {
    return GetInputIds(core, call);
  }
  if (call.kind == MessageKind::kGetGraphJsonRequest) {
    return GetGraphJson(core, call);
  }
  if (call.kind == MessageKind::kFarewellRequest) return Farewell(core, call);
  if (call.kind == MessageKind::kBatchTraceRequest) {
    return ServeBatchTrace(core, call);
  }
  if (call.kind == MessageKind::kStatusRequest) return AnswerStatus(core, call);
  return absl::UnimplementedError(absl::StrCat(
      MessageKindName(call.kind), " is no call of a control stream"));
}

// Makes the answer own its share of the control budget, until it is sent.
absl::StatusOr<CallAnswer> WithinShare(BudgetShare& share,
                                       absl::StatusOr<CallAnswer> answer) {
  struct Owner {
    BudgetShare::Hold hold;
    std::shared_ptr<const void> payload;
  };
  if (!answer.ok()) return answer;
  ASSIGN_OR_RETURN(BudgetShare::Hold hold,
                   share.TryTake(answer->header.size()));
  answer->payload_owner = std::make_shared<const Owner>(
      Owner{std::move(hold), std::move(answer->payload_owner)});
  return answer;
}

// Answers a call, unless too many answers before it are not taken: then it is
// not worth the work.
absl::StatusOr<CallAnswer> ServeReader(const ServiceCore& core,
                                       const UnreadStream& stream,
                                       BudgetShare& share,
                                       const IncomingCall& call) {
  const size_t unread = stream.num_unread();
  if (unread >= kMaxUnreadAnswers) {
    return absl::ResourceExhaustedError(absl::StrCat(
        unread, " answers of this control stream are not read; calls are ",
        "answered while there are fewer than ", kMaxUnreadAnswers));
  }
  const std::string& caller = call.caller->share_key();
  if (!core.control_rates->Admit(caller, core.protocol_executor->Now())) {
    return absl::ResourceExhaustedError(
        absl::StrCat(caller, " makes more calls than ", CallRates::kPerSecond,
                     " a second on control streams: ask again later"));
  }
  return WithinShare(share, Serve(core, call));
}

}  // namespace

std::shared_ptr<StreamHandler> ServeControlCalls(
    std::shared_ptr<ServiceCore> core, std::shared_ptr<Stream> stream,
    CallerPtr caller) {
  CallServerOptions options;
  options.max_request_bytes = 0;
  auto share = core->control_budget->Open(caller->share_key());
  auto unread = core->streams->Open(StreamMethod::kControl, *caller,
                                    std::move(stream), share);
  // Weak: the call server drops the stream when it has closed.
  std::weak_ptr<UnreadStream> weak = unread;
  return ServeCalls(
      std::move(unread), std::move(caller),
      [core = std::move(core), share, weak](IncomingCall call,
                                            CallResponder respond) {
        const auto to = weak.lock();
        if (to == nullptr) return;
        respond(ServeReader(*core, *to, *share, call));
        core->farewells->NotifyIfAllGone();
      },
      options);
}

}  // namespace tributary
