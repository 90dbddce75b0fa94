#include "trainer_client/core/fleet/control_calls.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMaxPageBytes = size_t{1} << 20;

template <typename Reply>
absl::StatusOr<Reply> ParseReply(const CallReply& reply, MessageKind wanted) {
  if (reply.kind != wanted) {
    return absl::InternalError(
        absl::StrCat("answered by ", MessageKindName(reply.kind),
                     " instead of ", MessageKindName(wanted)));
  }
  return ParseReplyHeader<Reply>(reply.kind, reply.header);
}

absl::StatusOr<ServerDescription> ToDescription(
    absl::StatusOr<CallReply> reply) {
  RETURN_IF_ERROR(reply.status());
  ASSIGN_OR_RETURN(auto told, ParseReply<v1::DescribeReply>(
                                  *reply, MessageKind::kDescribeReply));
  RETURN_IF_ERROR(CheckWireVersion(told.wire_version()));
  ServerDescription description;
  description.graph_json = std::move(*told.mutable_graph_json());
  description.partitions.assign(told.partitions().begin(),
                                told.partitions().end());
  description.incarnation = told.incarnation();
  description.draining = told.draining();
  description.budget_bytes = told.budget_bytes();
  description.takes_wait_reports = told.takes_wait_reports();
  for (const v1::PeerState& peer : told.peers()) {
    if (!peer.healthy()) continue;
    description.peers.push_back(
        {peer.address(), {peer.partitions().begin(), peer.partitions().end()}});
  }
  return description;
}

absl::StatusOr<InputPage> ToPage(absl::StatusOr<CallReply> reply) {
  RETURN_IF_ERROR(reply.status());
  ASSIGN_OR_RETURN(
      const auto told,
      ParseReply<v1::GetInputIdsReply>(*reply, MessageKind::kGetInputIdsReply));
  if (reply->payload.size() / sizeof(int64_t) != told.count() ||
      reply->payload.size() % sizeof(int64_t) != 0) {
    return absl::InternalError(absl::StrCat("a page of ", told.count(),
                                            " ids has ", reply->payload.size(),
                                            " bytes"));
  }
  InputPage page;
  page.total = told.total();
  page.ids.resize(told.count());
  if (!page.ids.empty()) {
    std::memcpy(page.ids.data(), reply->payload.data(), reply->payload.size());
  }
  return page;
}

}  // namespace

ControlCalls::ControlCalls(Transport* transport, const Address& address,
                           std::shared_ptr<Strand> strand)
    : strand_(std::move(strand)),
      client_(std::make_shared<CallClient>(
          transport, address, StreamMethod::kControl, strand_->executor())) {}

ControlCalls::~ControlCalls() = default;

void ControlCalls::Describe(const GraphChoice& graph, absl::Duration timeout,
                            Described done) {
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  request.set_graph(graph.name.ToString());
  if (graph.content.has_value()) {
    request.set_content_digest(graph.content->data(), graph.content->size());
  }
  client_->Call({.kind = MessageKind::kDescribeRequest,
                 .header = request.SerializeAsString()},
                strand_->Now() + timeout, /*max_reply_bytes=*/0,
                [strand = strand_, done = std::move(done)](
                    absl::StatusOr<CallReply> reply) mutable {
                  strand->Post([done = std::move(done),
                                reply = std::move(reply)]() mutable {
                    done(ToDescription(std::move(reply)));
                  });
                });
}

void ControlCalls::GetInputIds(const PageRequest& page, absl::Duration timeout,
                               GotPage done) {
  v1::GetInputIdsRequest request;
  request.set_node_type(page.node_type);
  request.set_edge_type(page.edge_type);
  request.set_split(page.split);
  request.set_offset(page.offset);
  request.set_content_digest(page.content_digest.data(),
                             page.content_digest.size());
  client_->Call({.kind = MessageKind::kGetInputIdsRequest,
                 .header = request.SerializeAsString()},
                strand_->Now() + timeout, kMaxPageBytes,
                [strand = strand_, done = std::move(done)](
                    absl::StatusOr<CallReply> reply) mutable {
                  strand->Post([done = std::move(done),
                                reply = std::move(reply)]() mutable {
                    done(ToPage(std::move(reply)));
                  });
                });
}

}  // namespace tributary
