#include "trainer_client/core/fleet/control_calls.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/text/status.h"
#include "partition/schema/schema.h"
#include "partition/schema/schema_check.h"
#include "trainer_client/core/fleet/graph_text_reader.h"

namespace tributary {
namespace {

constexpr size_t kMaxPageBytes = size_t{1} << 20;
constexpr int kMaxDescribedPeers = 4096;  // as many as a server watches
constexpr int kMaxHotLists = 1024;

template <typename Reply>
absl::StatusOr<Reply> ParseReply(const CallReply& reply, MessageKind wanted) {
  if (reply.kind != wanted) {
    return absl::InternalError(
        absl::StrCat("answered by ", MessageKindName(reply.kind),
                     " instead of ", MessageKindName(wanted)));
  }
  return ParseReplyHeader<Reply>(reply.kind, reply.header);
}

absl::StatusOr<Sha256Digest> ToDigest(std::string_view what,
                                      const std::string& bytes) {
  Sha256Digest digest;
  if (bytes.size() != digest.size()) {
    return absl::InternalError(absl::StrCat("a description with a ",
                                            std::string(what), " digest of ",
                                            bytes.size(), " bytes"));
  }
  std::memcpy(digest.data(), bytes.data(), digest.size());
  return digest;
}

// Sets which graph is described. Servers that know no pages of graph.json send
// its text and no digests.
absl::Status SetGraph(const v1::DescribeReply& told,
                      ServerDescription& description) {
  if (told.layout_digest().empty()) {
    if (told.graph_json().empty()) return absl::OkStatus();  // of no graph
    ASSIGN_OR_RETURN(const GraphSchema schema,
                     GraphSchema::FromJson(told.graph_json()));
    description.graph_name = schema.name;
    description.content_digest = schema.content_digest;
    description.layout_digest = schema.layout_digest;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(description.content_digest,
                   ToDigest("content", told.content_digest()));
  ASSIGN_OR_RETURN(description.layout_digest,
                   ToDigest("layout", told.layout_digest()));
  for (const v1::GraphState& graph : told.graphs()) {
    if (graph.layout_digest() == told.layout_digest()) {
      description.graph_name = graph.name();
    }
  }
  return absl::OkStatus();
}

// Sets the digest of the text, and checks it where the text is there.
absl::Status SetText(const v1::DescribeReply& told,
                     ServerDescription& description) {
  if (!told.graph_json_sha256().empty()) {
    ASSIGN_OR_RETURN(description.text_digest,
                     ToDigest("text", told.graph_json_sha256()));
  }
  if (told.graph_json().empty()) return absl::OkStatus();
  const Sha256Digest digest = Sha256Of(told.graph_json());
  if (!told.graph_json_sha256().empty() && digest != description.text_digest) {
    return absl::DataLossError(
        absl::StrCat("it sends a graph.json with the SHA-256 ", ToHex(digest),
                     " and describes ", ToHex(description.text_digest)));
  }
  description.text_digest = digest;
  return absl::OkStatus();
}

// A fleet has no more of them; a server that says more would fill memory.
absl::Status CheckCounts(const v1::DescribeReply& told) {
  if (told.partitions_size() <= static_cast<int>(kMaxPartitions) &&
      told.peers_size() <= kMaxDescribedPeers &&
      told.hot_lists_size() <= kMaxHotLists) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("it describes ", told.partitions_size(), " partitions, ",
                   told.peers_size(), " peers and ", told.hot_lists_size(),
                   " hot lists; allowed: ", kMaxPartitions, ", ",
                   kMaxDescribedPeers, " and ", kMaxHotLists));
}

absl::StatusOr<v1::DescribeReply> ParseDescribe(
    const absl::StatusOr<CallReply>& reply) {
  RETURN_IF_ERROR(reply.status());
  ASSIGN_OR_RETURN(auto told, ParseReply<v1::DescribeReply>(
                                  *reply, MessageKind::kDescribeReply));
  RETURN_IF_ERROR(CheckWireVersion(told.wire_version()));
  return told;
}

absl::StatusOr<ServerDescription> ToDescription(v1::DescribeReply told) {
  ServerDescription description;
  RETURN_IF_ERROR(CheckCounts(told));
  RETURN_IF_ERROR(SetGraph(told, description));
  RETURN_IF_ERROR(SetText(told, description));
  for (const v1::GraphState& graph : told.graphs()) {
    if (graph.name() != description.graph_name) continue;
    ASSIGN_OR_RETURN(const Sha256Digest content,
                     ToDigest("content", graph.content_digest()));
    description.contents.push_back(content);
  }
  description.graph_json = std::move(*told.mutable_graph_json());
  description.partitions.assign(told.partitions().begin(),
                                told.partitions().end());
  description.incarnation = told.incarnation();
  description.draining = told.draining();
  description.budget_bytes = told.budget_bytes();
  description.takes_wait_reports = told.takes_wait_reports();
  description.takes_tcp = told.takes_tcp();
  for (const v1::HotListState& list : told.hot_lists()) {
    ASSIGN_OR_RETURN(const Sha256Digest digest,
                     ToDigest("hot list's", list.digest()));
    description.hot_lists.push_back({list.name(), digest, list.json_bytes()});
  }
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

// Calls `done` with the description, once its text is there if it is wanted.
void OnDescribed(GraphTextSource source, bool text,
                 absl::StatusOr<CallReply> reply,
                 ControlCalls::Described done) {
  auto told = ParseDescribe(reply);
  if (!told.ok()) return done(told.status());
  auto description = ToDescription(*told);
  if (!description.ok() || !text || told->graph_json_bytes() == 0 ||
      !description->graph_json.empty()) {
    return done(std::move(description));
  }
  const auto digest = ToDigest("graph.json's", told->graph_json_sha256());
  if (!digest.ok()) return done(digest.status());
  ReadGraphText(std::move(source),
                {description->layout_digest, told->graph_json_bytes(), *digest},
                [description = *std::move(description), done = std::move(done)](
                    absl::StatusOr<std::string> json) mutable {
                  if (!json.ok()) return done(json.status());
                  description.graph_json = *std::move(json);
                  done(std::move(description));
                });
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
  request.set_graph_text(graph.text ? v1::GRAPH_TEXT_PAGED
                                    : v1::GRAPH_TEXT_NONE);
  client_->Call(
      {.kind = MessageKind::kDescribeRequest,
       .header = request.SerializeAsString()},
      strand_->Now() + timeout, /*max_reply_bytes=*/0,
      [strand = strand_, client = std::weak_ptr(client_), timeout,
       text = graph.text,
       done = std::move(done)](absl::StatusOr<CallReply> reply) mutable {
        strand->Post([strand, client, timeout, text, done = std::move(done),
                      reply = std::move(reply)]() mutable {
          OnDescribed({client, strand, timeout}, text, std::move(reply),
                      std::move(done));
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
