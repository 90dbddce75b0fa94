#include "sampler_server/service/control_stream.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/text/status.h"
#include "sampler_server/service/control_calls.h"

namespace tributary {
namespace {

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphOf(
    const ServiceCore& core, const v1::DescribeRequest& request) {
  if (!request.layout_digest().empty()) {
    return core.graphs.WithLayout(request.layout_digest());
  }
  if (!request.content_digest().empty()) {
    return core.graphs.WithContent(request.content_digest());
  }
  if (request.any() && request.graph().empty()) return core.graphs.Newest();
  ASSIGN_OR_RETURN(const GraphName name, GraphName::Parse(request.graph()));
  return core.graphs.Named(name);
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

absl::StatusOr<CallAnswer> Describe(const ServiceCore& core,
                                    const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::DescribeRequest>(call.kind, call.header));
  RETURN_IF_ERROR(CheckWireVersion(request.wire_version()));
  ASSIGN_OR_RETURN(const auto held, GraphOf(core, request));
  v1::DescribeReply reply;
  reply.set_wire_version(kWireVersion);
  reply.set_graph_json(held->graph().schema_json());
  for (uint32_t p : held->graph().partitions()) reply.add_partitions(p);
  reply.set_incarnation(core.incarnation);
  reply.set_draining(core.draining || held->draining());
  reply.set_budget_bytes(core.budget->limit());
  SetLoad(core, reply);
  if (held->served.peers) {
    for (v1::PeerState& peer : held->served.peers()) *reply.add_peers() = peer;
  }
  for (const auto& graph : core.graphs.All()) {
    *reply.add_graphs() = StateOf(*graph);
  }
  return CallAnswer{MessageKind::kDescribeReply, reply.SerializeAsString()};
}

absl::StatusOr<CallAnswer> GetInputIds(const ServiceCore& core,
                                       const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::GetInputIdsRequest>(call.kind, call.header));
  ASSIGN_OR_RETURN(const auto held,
                   core.graphs.WithContent(request.content_digest()));
  ASSIGN_OR_RETURN(const InputIdsPage page,
                   ServeGetInputIds(held->graph(), request));
  CallAnswer answer{MessageKind::kGetInputIdsReply,
                    page.header.SerializeAsString()};
  // A copy: bytes of the file may be lost before the network reads them.
  auto ids =
      std::make_shared<std::vector<int64_t>>(page.ids.begin(), page.ids.end());
  RETURN_IF_ERROR(DamageOf(held.get()));
  answer.payload = {reinterpret_cast<const uint8_t*>(ids->data()),
                    ids->size() * sizeof(int64_t)};
  answer.payload_owner = std::move(ids);
  return answer;
}

absl::StatusOr<CallAnswer> Farewell(const ServiceCore& core,
                                    const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::FarewellRequest>(call.kind, call.header));
  RETURN_IF_ERROR(
      core.farewells->Record(request.client_rank(), request.num_clients()));
  return CallAnswer{MessageKind::kFarewellReply, ""};
}

absl::StatusOr<CallAnswer> Serve(const ServiceCore& core,
                                 const IncomingCall& call) {
  if (call.kind == MessageKind::kDescribeRequest) return Describe(core, call);
  if (call.kind == MessageKind::kGetInputIdsRequest) {
    return GetInputIds(core, call);
  }
  if (call.kind == MessageKind::kFarewellRequest) return Farewell(core, call);
  return absl::UnimplementedError(absl::StrCat(
      MessageKindName(call.kind), " is no call of a control stream"));
}

// Makes the answer own a reservation of its bytes, until it is sent.
absl::StatusOr<CallAnswer> WithinBudget(ServiceCore& core,
                                        absl::StatusOr<CallAnswer> answer) {
  if (!answer.ok()) return answer;
  ASSIGN_OR_RETURN(Reservation reservation,
                   core.control_budget->TryReserve(answer->header.size()));
  answer->payload_owner =
      std::make_shared<std::pair<Reservation, std::shared_ptr<const void>>>(
          std::move(reservation), std::move(answer->payload_owner));
  return answer;
}

}  // namespace

std::shared_ptr<StreamHandler> ServeControlCalls(
    std::shared_ptr<ServiceCore> core, std::shared_ptr<Stream> stream,
    CallerPtr caller) {
  CallServerOptions options;
  options.max_request_bytes = 0;
  return ServeCalls(
      std::move(stream), std::move(caller),
      [core = std::move(core)](IncomingCall call, CallResponder respond) {
        respond(WithinBudget(*core, Serve(*core, call)));
        core->farewells->NotifyIfAllGone();
      },
      options);
}

}  // namespace tributary
