#include "sampler_server/peers/remote_hop_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/session/edge_condition.h"
#include "common/tensor/narrow_numbers.h"
#include "common/text/status.h"
#include "sampler_server/engine/draw/draw.h"
#include "sampler_server/engine/hop/excluded_rows.h"
#include "sampler_server/peers/owner_call.h"

namespace tributary {
namespace {

// Local number, row, tree and time bound.
constexpr size_t kMaxNodeBytes = 4 + 8 + 4 + 8;
constexpr size_t kMaxNodesPerCall = kMaxPayloadBytes / 2 / kMaxNodeBytes;

// Bytes of one node in an array that holds a value per node or is empty.
template <typename T>
size_t BytesPerNode(const std::vector<T>& values) {
  return values.empty() ? 0 : sizeof(T);
}

// Copies `count` values to `to` and returns the end of the copy. Copies nothing
// from an empty array.
template <typename T>
uint8_t* CopyTo(const std::vector<T>& values, size_t from, size_t count,
                uint8_t* to) {
  if (values.empty()) return to;
  std::memcpy(to, &values[from], count * sizeof(T));
  return to + count * sizeof(T);
}

// Copies one field of each edge to `to` and returns the end of the copy.
template <typename Edge, typename Field>
uint8_t* CopyFields(const std::vector<Edge>& edges, Field Edge::*field,
                    uint8_t* to) {
  for (const Edge& edge : edges) {
    std::memcpy(to, &(edge.*field), sizeof(Field));
    to += sizeof(Field);
  }
  return to;
}

size_t EncodedBytes(const ExcludedEdges& excluded) {
  return (excluded.by_id.size() + excluded.by_source.size()) * 16;
}
// The excluded edges of one node fit beside the arrays per node.
static_assert(2 * ExcludedEdges::kMostOfNode * 16 <= kMaxPayloadBytes / 2);

// Appends `count` values that lie at `from` and returns the end of them.
template <typename T>
const uint8_t* AppendTo(std::vector<T>& values, size_t count,
                        const uint8_t* from) {
  const size_t old = values.size();
  values.resize(old + count);
  if (count > 0) std::memcpy(&values[old], from, count * sizeof(T));
  return from + count * sizeof(T);
}

// Appends `count` numbers of 8 bytes, or of 4, that lie at `from`, and returns
// the end of them.
template <typename T>
const uint8_t* AppendNumbers(std::vector<T>& values, size_t count, bool narrow,
                             const uint8_t* from) {
  if (!narrow) return AppendTo(values, count, from);
  const size_t old = values.size();
  values.resize(old + count);
  return ReadNarrow(from,
                    {reinterpret_cast<uint64_t*>(values.data() + old), count});
}

// Returns the bytes of an edge in the payload.
size_t EdgeBytes(const v1::SampleHopReply& reply, const DrawRule& rule) {
  const auto number = [](bool narrow) {
    return narrow ? sizeof(uint32_t) : sizeof(uint64_t);
  };
  return number(reply.narrow_neighbors()) +
         (reply.edge_ids_omitted() ? 0 : number(reply.narrow_edge_ids())) +
         (rule.want_positions ? number(reply.narrow_positions()) : 0);
}

// Checks that the reply omits nothing that is wanted, and says nothing of
// arrays that it does not have.
absl::Status CheckArrays(const v1::SampleHopReply& reply,
                         const DrawRule& rule) {
  if (reply.edge_ids_omitted() && rule.want_edge_ids) {
    return absl::DataLossError("reply without the edge ids asked for");
  }
  if ((reply.edge_ids_omitted() && reply.narrow_edge_ids()) ||
      (reply.narrow_positions() && !rule.want_positions)) {
    return absl::DataLossError("reply with narrow numbers that it lacks");
  }
  return absl::OkStatus();
}

// Appends `from` to `to`.
template <typename T>
void MoveToEnd(std::vector<T>& to, std::vector<T>& from) {
  if (to.empty()) return to.swap(from);
  to.insert(to.end(), from.begin(), from.end());
}

uint64_t Largest(const std::vector<uint64_t>& values) {
  uint64_t largest = 0;
  for (const uint64_t value : values) largest = std::max(largest, value);
  return largest;
}

void FillRule(const DrawRule& rule, v1::SampleHopRequest* request) {
  request->set_key0(rule.key.k0);
  request->set_key1(rule.key.k1);
  request->set_fanout(rule.fanout);
  request->set_replace(rule.replace);
  request->set_omit_edge_ids(!rule.want_edge_ids);
  request->set_takes_narrow(true);
  request->set_want_positions(rule.want_positions);
  request->set_draw(static_cast<v1::Draw>(rule.draw));
  request->set_time(static_cast<v1::TimeColumn>(rule.time));
  request->set_strict(rule.strict);
  request->set_latest(rule.latest);
  if (rule.predicate == nullptr) return;
  for (const EdgeCondition& condition : rule.predicate->conditions) {
    FillCondition(condition, request->add_conditions());
  }
}

}  // namespace

RemoteHopCall::RemoteHopCall(std::shared_ptr<const GraphSchema> schema,
                             std::shared_ptr<PeerDirectory> directory,
                             RemoteHop hop,
                             const RemotePartitions::Limits& limits,
                             std::shared_ptr<Strand> strand, Done done)
    : schema_(std::move(schema)),
      directory_(std::move(directory)),
      hop_(std::move(hop)),
      limits_(limits),
      strand_(std::move(strand)),
      done_(std::move(done)),
      edge_bytes_(BytesPerEdge(hop_.rule)),
      max_edges_(limits.max_reply_bytes / edge_bytes_) {}

// Asks for the next nodes, or ends.
void RemoteHopCall::Next() {
  const size_t left = hop_.rows.size() - next_;
  if (left == 0 || edges_.neighbors.size() >= max_edges_) {
    return done_(std::move(edges_));
  }
  asked_ = std::min(left, NodesPerCall());
  SelectExcluded();
  reply_bytes_ = ReplyBytes();
  auto payload = std::make_shared<const AlignedBuffer>(EncodePayload());

  OwnerCallSpec spec;
  spec.partition = hop_.partition;
  spec.kind = MessageKind::kSampleHopRequest;
  spec.reply_kind = MessageKind::kSampleHopReply;
  spec.header = [self = shared_from_this()](uint64_t timeout_ms) {
    return self->EncodeHeader(timeout_ms);
  };
  spec.payload = payload->span();
  spec.payload_owner = std::move(payload);
  spec.max_reply_bytes = reply_bytes_;
  spec.limits = limits_;
  spec.strand = strand_;
  spec.accept = [self = shared_from_this()](CallReply reply) {
    return self->Accept(reply);
  };
  spec.done = [self = shared_from_this()](absl::Status status) {
    if (!status.ok()) return self->done_(std::move(status));
    self->Next();
  };
  StartOwnerCall(directory_, std::move(spec));
}

// So few that their reply is not likely to be cut.
size_t RemoteHopCall::NodesPerCall() const {
  const size_t fanout = std::max(1, hop_.rule.fanout);
  const size_t node_reply = sizeof(uint32_t) + fanout * edge_bytes_;
  return std::clamp<size_t>(kMaxPayloadBytes / node_reply, 1, kMaxNodesPerCall);
}

size_t RemoteHopCall::NodeBytes() const {
  return BytesPerNode(hop_.local_numbers) + BytesPerNode(hop_.trees) +
         BytesPerNode(hop_.rows) + BytesPerNode(hop_.time_bound);
}

// Selects the excluded edges of the nodes to ask for, and asks for fewer nodes
// while those edges do not fit.
void RemoteHopCall::SelectExcluded() {
  const ExcludedOfRows all(hop_.excluded, 0, UINT64_MAX);
  const auto rows = absl::MakeConstSpan(hop_.rows);
  excluded_ = all.OfRows(rows.subspan(next_, asked_));
  while (EncodedBytes(excluded_) > kMaxPayloadBytes / 2 && asked_ > 1) {
    asked_ /= 2;
    excluded_ = all.OfRows(rows.subspan(next_, asked_));
  }
}

size_t RemoteHopCall::ReplyBytes() const {
  // The size of one edge with an id: not every server can omit it.
  const uint64_t least =
      sizeof(uint32_t) + (hop_.rule.want_positions ? 3 : 2) * sizeof(uint64_t);
  const uint64_t edges_left = max_edges_ - edges_.neighbors.size();
  const uint64_t counts = asked_ * sizeof(uint32_t);
  if (edges_left > kMaxPayloadBytes / edge_bytes_) return kMaxPayloadBytes;
  return std::clamp<uint64_t>(counts + edges_left * edge_bytes_, least,
                              kMaxPayloadBytes);
}

AlignedBuffer RemoteHopCall::EncodePayload() const {
  AlignedBuffer payload(asked_ * NodeBytes() + EncodedBytes(excluded_));
  uint8_t* to = CopyTo(hop_.local_numbers, next_, asked_, payload.data());
  to = CopyTo(hop_.trees, next_, asked_, to);
  to = CopyTo(hop_.rows, next_, asked_, to);
  to = CopyTo(hop_.time_bound, next_, asked_, to);
  to = CopyFields(excluded_.by_id, &EdgeOfNode::node, to);
  to = CopyFields(excluded_.by_id, &EdgeOfNode::edge_id, to);
  to = CopyFields(excluded_.by_source, &SourceOfNode::node, to);
  CopyFields(excluded_.by_source, &SourceOfNode::source, to);
  return payload;
}

std::string RemoteHopCall::EncodeHeader(uint64_t timeout_ms) const {
  v1::SampleHopRequest request;
  request.set_layout_digest(schema_->layout_digest.data(),
                            schema_->layout_digest.size());
  request.set_edge_type(hop_.edge_type);
  request.set_partition(hop_.partition);
  FillRule(hop_.rule, &request);
  request.set_disjoint(!hop_.trees.empty());
  request.set_num_excluded_edges(excluded_.by_id.size());
  request.set_num_excluded_sources(excluded_.by_source.size());
  request.set_num_nodes(asked_);
  request.set_skip_edges(skip_);
  request.set_max_reply_bytes(reply_bytes_);
  request.set_timeout_ms(timeout_ms);
  return request.SerializeAsString();
}

// Keeps nothing of a reply before all of it is checked: after an error another
// owner may be asked for the same nodes.
absl::Status RemoteHopCall::Accept(const CallReply& reply) {
  ASSIGN_OR_RETURN(const auto header, ParseReplyHeader<v1::SampleHopReply>(
                                          reply.kind, reply.header));
  RETURN_IF_ERROR(CheckArrays(header, hop_.rule));
  const uint64_t nodes = header.nodes();
  const uint64_t edges = header.edges();
  const bool progress =
      nodes > 1 || edges > 0 || (nodes == 1 && !header.last_is_partial());
  // Once widened the reply takes no more than was asked for, however few bytes
  // it has.
  if (nodes > asked_ || edges > kMaxPayloadBytes || !progress ||
      nodes * sizeof(uint32_t) + edges * edge_bytes_ > reply_bytes_ ||
      reply.payload.size() !=
          nodes * sizeof(uint32_t) + edges * EdgeBytes(header, hop_.rule)) {
    return absl::DataLossError(absl::StrCat(
        "reply of ", nodes, " nodes and ", edges, " edges in ",
        reply.payload.size(), " bytes to a request for ", asked_, " nodes"));
  }
  std::vector<uint32_t> counts;
  const uint8_t* from = AppendTo(counts, nodes, reply.payload.data());
  uint64_t sum = 0;
  for (uint32_t count : counts) sum += count;
  if (sum != edges) {
    return absl::DataLossError(absl::StrCat("reply whose counts add up to ",
                                            sum, ", not ", edges, " edges"));
  }
  HopEdges got = ReadEdges(header, from);
  RETURN_IF_ERROR(CheckValues(counts, got));
  MoveToEnd(edges_.neighbors, got.neighbors);
  MoveToEnd(edges_.edge_ids, got.edge_ids);
  MoveToEnd(edges_.positions, got.positions);
  Advance(counts, header.last_is_partial());
  return absl::OkStatus();
}

// Reads the arrays behind the counts, whose sizes are checked.
HopEdges RemoteHopCall::ReadEdges(const v1::SampleHopReply& header,
                                  const uint8_t* from) const {
  const uint64_t edges = header.edges();
  HopEdges got;
  from = AppendNumbers(got.neighbors, edges, header.narrow_neighbors(), from);
  if (hop_.rule.want_edge_ids) {
    from = AppendNumbers(got.edge_ids, edges, header.narrow_edge_ids(), from);
  } else if (!header.edge_ids_omitted()) {
    from +=
        edges * (header.narrow_edge_ids() ? sizeof(uint32_t) : sizeof(int64_t));
  }
  if (hop_.rule.want_positions) {
    AppendNumbers(got.positions, edges, header.narrow_positions(), from);
  }
  return got;
}

absl::Status RemoteHopCall::CheckValues(const std::vector<uint32_t>& counts,
                                        const HopEdges& edges) const {
  const EdgeTypeSchema& type = schema_->edge_types[hop_.edge_type];
  const auto num_src =
      static_cast<uint64_t>(schema_->node_types[type.src_type].num_nodes);
  const auto num_edges =
      static_cast<uint64_t>(type.partition_edges[hop_.partition]);
  const uint64_t most_of_node =
      NumDrawn(UINT64_MAX, hop_.rule.fanout, hop_.rule.replace);
  for (const uint32_t count : counts) {
    if (count <= most_of_node) continue;
    return absl::DataLossError(absl::StrCat(
        "reply with ", count, " edges of a node, at most ", most_of_node));
  }
  const uint64_t neighbor = Largest(edges.neighbors);
  if (!edges.neighbors.empty() && neighbor >= num_src) {
    return absl::DataLossError(absl::StrCat("reply with neighbour ", neighbor,
                                            " of ", num_src, " nodes"));
  }
  const uint64_t position = Largest(edges.positions);
  if (!edges.positions.empty() && position >= num_edges) {
    return absl::DataLossError(absl::StrCat("reply with position ", position,
                                            " of ", num_edges, " edges"));
  }
  return absl::OkStatus();
}

// The first count belongs to the node at which the last reply was cut, if any.
void RemoteHopCall::Advance(const std::vector<uint32_t>& counts,
                            bool last_is_partial) {
  auto first = counts.begin();
  if (edges_.last_is_partial) {
    edges_.counts.back() += *first;
    ++first;
  }
  edges_.counts.insert(edges_.counts.end(), first, counts.end());
  edges_.last_is_partial = last_is_partial;
  next_ = edges_.counts.size() - (last_is_partial ? 1 : 0);
  skip_ = last_is_partial ? edges_.counts.back() : 0;
}

}  // namespace tributary
