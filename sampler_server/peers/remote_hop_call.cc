#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/session/edge_condition.h"
#include "common/text/status.h"
#include "sampler_server/engine/hop/excluded_rows.h"
#include "sampler_server/peers/owner_call.h"
#include "sampler_server/peers/peer_partitions.h"

namespace tributary {
namespace {

// Local number, row, tree, time bound.
constexpr size_t kMostNodeBytes = 4 + 8 + 4 + 8;
constexpr size_t kMaxNodesPerCall = kMaxPayloadBytes / 2 / kMostNodeBytes;

std::string DigestBytes(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Of an array per node, which may be empty for all of them.
template <typename T>
size_t BytesPerNode(const std::vector<T>& values) {
  return values.empty() ? 0 : sizeof(T);
}

template <typename T>
uint8_t* CopyTo(const std::vector<T>& values, size_t from, size_t count,
                uint8_t* to) {
  if (values.empty()) return to;
  std::memcpy(to, &values[from], count * sizeof(T));
  return to + count * sizeof(T);
}

// A kind that servers which would misunderstand the request do not know.
MessageKind KindOf(const RemoteHop& hop) {
  if (hop.rule.predicate != nullptr || !hop.excluded.empty()) {
    return MessageKind::kEligibleHopRequest;
  }
  const bool uniform = hop.rule.draw == Draw::kUniform &&
                       hop.rule.time == TimeColumn::kNone && hop.trees.empty();
  return uniform ? MessageKind::kSampleHopRequest
                 : MessageKind::kDrawHopRequest;
}

// One field of each, array by array.
template <typename Edge, typename Field>
uint8_t* CopyFields(const std::vector<Edge>& edges, Field Edge::*field,
                    uint8_t* to) {
  for (const Edge& edge : edges) {
    std::memcpy(to, &(edge.*field), sizeof(Field));
    to += sizeof(Field);
  }
  return to;
}

size_t BytesOf(const ExcludedEdges& excluded) {
  return (excluded.by_id.size() + excluded.by_source.size()) * 16;
}
// Of one node they fit, beside the arrays per node.
static_assert(2 * ExcludedEdges::kMostOfNode * 16 <= kMaxPayloadBytes / 2);

template <typename T>
const uint8_t* AppendTo(std::vector<T>& values, size_t count,
                        const uint8_t* from) {
  const size_t old = values.size();
  values.resize(old + count);
  if (count > 0) std::memcpy(&values[old], from, count * sizeof(T));
  return from + count * sizeof(T);
}

// One hop of one batch in one partition. On its strand.
class HopCall : public std::enable_shared_from_this<HopCall> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<HopEdges>)>;

  HopCall(std::shared_ptr<const GraphSchema> schema,
          std::shared_ptr<PeerDirectory> directory, RemoteHop hop,
          const RemotePartitions::Limits& limits,
          std::shared_ptr<Strand> strand, Done done)
      : schema_(std::move(schema)),
        directory_(std::move(directory)),
        hop_(std::move(hop)),
        limits_(limits),
        strand_(std::move(strand)),
        done_(std::move(done)),
        edge_bytes_((hop_.rule.want_positions ? 3 : 2) * sizeof(uint64_t)),
        max_edges_(limits.max_reply_bytes / edge_bytes_) {}

  void Next() {
    const size_t left = hop_.rows.size() - next_;
    if (left == 0 || edges_.neighbors.size() >= max_edges_) return Finish();
    asked_ = std::min(left, NodesPerCall());
    FindExcluded();
    auto payload = std::make_shared<AlignedBuffer>(asked_ * NodeBytes() +
                                                   BytesOf(excluded_));
    uint8_t* to = CopyTo(hop_.local_numbers, next_, asked_, payload->data());
    to = CopyTo(hop_.trees, next_, asked_, to);
    to = CopyTo(hop_.rows, next_, asked_, to);
    to = CopyTo(hop_.time_bound, next_, asked_, to);
    to = CopyFields(excluded_.by_id, &EdgeOfNode::node, to);
    to = CopyFields(excluded_.by_id, &EdgeOfNode::edge_id, to);
    to = CopyFields(excluded_.by_source, &SourceOfNode::node, to);
    CopyFields(excluded_.by_source, &SourceOfNode::source, to);
    reply_bytes_ = ReplyBytes();

    OwnerCallSpec spec;
    spec.partition = hop_.partition;
    spec.kind = KindOf(hop_);
    spec.header = [self = shared_from_this()](uint64_t timeout_ms) {
      return self->Header(timeout_ms);
    };
    spec.payload = std::as_const(*payload).span();
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

 private:
  size_t NodeBytes() const {
    return BytesPerNode(hop_.local_numbers) + BytesPerNode(hop_.trees) +
           BytesPerNode(hop_.rows) + BytesPerNode(hop_.time_bound);
  }

  // So few that their reply is not likely to be cut.
  size_t NodesPerCall() const {
    const size_t fanout = std::max(1, hop_.rule.fanout);
    const size_t node_reply = sizeof(uint32_t) + fanout * edge_bytes_;
    return std::clamp<size_t>(kMaxPayloadBytes / node_reply, 1,
                              kMaxNodesPerCall);
  }

  // What concerns the nodes asked for, and so few of those that it fits.
  void FindExcluded() {
    const ExcludedOfRows all(hop_.excluded, 0, UINT64_MAX);
    const auto rows = absl::MakeConstSpan(hop_.rows);
    excluded_ = all.OfRows(rows.subspan(next_, asked_));
    while (BytesOf(excluded_) > kMaxPayloadBytes / 2 && asked_ > 1) {
      asked_ /= 2;
      excluded_ = all.OfRows(rows.subspan(next_, asked_));
    }
  }

  size_t ReplyBytes() const {
    const uint64_t edges_left = max_edges_ - edges_.neighbors.size();
    const uint64_t counts = asked_ * sizeof(uint32_t);
    if (edges_left > kMaxPayloadBytes / edge_bytes_) return kMaxPayloadBytes;
    return std::min<uint64_t>(kMaxPayloadBytes,
                              counts + edges_left * edge_bytes_);
  }

  std::string Header(uint64_t timeout_ms) const {
    v1::SampleHopRequest request;
    request.set_layout_digest(DigestBytes(schema_->layout_digest));
    request.set_edge_type(hop_.edge_type);
    request.set_partition(hop_.partition);
    const DrawRule& rule = hop_.rule;
    request.set_key0(rule.key.k0);
    request.set_key1(rule.key.k1);
    request.set_fanout(rule.fanout);
    request.set_replace(rule.replace);
    request.set_want_positions(rule.want_positions);
    request.set_draw(static_cast<v1::Draw>(rule.draw));
    request.set_time(static_cast<v1::TimeColumn>(rule.time));
    request.set_strict(rule.strict);
    request.set_latest(rule.latest);
    request.set_disjoint(!hop_.trees.empty());
    if (rule.predicate != nullptr) {
      for (const EdgeCondition& condition : rule.predicate->conditions) {
        FillCondition(condition, request.add_conditions());
      }
    }
    request.set_num_excluded_edges(excluded_.by_id.size());
    request.set_num_excluded_sources(excluded_.by_source.size());
    request.set_num_nodes(asked_);
    request.set_skip_edges(skip_);
    request.set_max_reply_bytes(reply_bytes_);
    request.set_timeout_ms(timeout_ms);
    return request.SerializeAsString();
  }

  // Nothing is taken in before all is checked: another owner may be asked.
  absl::Status Accept(const CallReply& reply) {
    ASSIGN_OR_RETURN(const auto header,
                     ParseHeader<v1::SampleHopReply>(reply.kind, reply.header));
    const uint64_t nodes = header.nodes();
    const uint64_t edges = header.edges();
    const bool progress =
        nodes > 1 || edges > 0 || (nodes == 1 && !header.last_is_partial());
    if (nodes > asked_ || edges > kMaxPayloadBytes || !progress ||
        reply.payload.size() !=
            nodes * sizeof(uint32_t) + edges * edge_bytes_) {
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
    from = AppendTo(edges_.neighbors, edges, from);
    from = AppendTo(edges_.edge_ids, edges, from);
    if (hop_.rule.want_positions) AppendTo(edges_.positions, edges, from);
    Advance(counts, header.last_is_partial());
    return absl::OkStatus();
  }

  // The first count belongs to the node that the last reply cut, if it did.
  void Advance(const std::vector<uint32_t>& counts, bool last_is_partial) {
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

  void Finish() { done_(std::move(edges_)); }

  const std::shared_ptr<const GraphSchema> schema_;
  const std::shared_ptr<PeerDirectory> directory_;
  const RemoteHop hop_;
  const RemotePartitions::Limits limits_;
  const std::shared_ptr<Strand> strand_;
  Done done_;
  const size_t edge_bytes_;
  const uint64_t max_edges_;
  HopEdges edges_;
  size_t next_ = 0;         // first node that is not complete
  uint64_t skip_ = 0;       // of its edges, that are here
  size_t asked_ = 0;        // nodes in the call that is out
  ExcludedEdges excluded_;  // of their edges
  size_t reply_bytes_ = 0;  // that its reply may have
};

}  // namespace

void PeerPartitions::SampleHop(
    RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) {
  auto call = std::make_shared<HopCall>(schema_, directory_, std::move(hop),
                                        limits, strand, std::move(done));
  strand->Post([call] { call->Next(); });
}

}  // namespace tributary
