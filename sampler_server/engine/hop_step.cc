#include "sampler_server/engine/hop_step.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/hop_key.h"

namespace tributary {
namespace {

// Of a reply, per edge: neighbour, edge id, position.
uint64_t ReplyBytes(uint64_t edges, bool want_positions) {
  const uint64_t per_edge = want_positions ? 24 : 16;
  return edges > UINT64_MAX / per_edge ? UINT64_MAX : edges * per_edge;
}

bool WantsPositions(const Graph& graph, const SamplingPlan& plan,
                    const PlannedEdgeType& type) {
  return plan.collect_features &&
         graph.schema().edge_types[type.edge_type].edge_attr.has_value();
}

}  // namespace

HopStep::HopStep(StepContext context, const BatchKey& key, int hop,
                 uint64_t max_edges)
    : context_(std::move(context)),
      key_(key),
      hop_(hop),
      edges_left_(max_edges) {}

void HopStep::Start(Done done) {
  done_ = std::move(done);
  AddRounds();
  AddRequests();
  Pump();
}

void HopStep::AddRounds() {
  const SamplingPlan& plan = *context_.plan;
  rounds_.reserve(plan.edge_types.size());
  for (size_t i = 0; i < plan.edge_types.size(); ++i) {
    const PlannedEdgeType& type = plan.edge_types[i];
    const NodeTypeState& dst = context_.state->nodes[type.dst_type];
    const size_t n = dst.frontier_end - dst.frontier_begin;
    if (type.fanouts[hop_] == 0 || n == 0) continue;
    HopRound::Draw draw;
    draw.key = MakeHopKey({.random_seed = plan.random_seed,
                           .epoch = key_.epoch,
                           .batch = key_.index,
                           .purpose = Purpose::kNeighbors,
                           .hop = static_cast<uint32_t>(hop_),
                           .type_name = type.name});
    draw.fanout = type.fanouts[hop_];
    draw.replace = plan.replace;
    draw.want_positions = WantsPositions(*context_.graph, plan, type);
    rounds_.emplace_back(
        context_.graph->schema(), plan, static_cast<int>(i), draw,
        absl::MakeConstSpan(dst.numbering.ids()).subspan(dst.frontier_begin, n),
        static_cast<uint32_t>(dst.frontier_begin));
  }
}

// Remote ones first: they are on their way while the local ones are sampled.
void HopStep::AddRequests() {
  for (const bool local : {false, true}) {
    for (size_t r = 0; r < rounds_.size(); ++r) {
      for (size_t s = 0; s < rounds_[r].shares().size(); ++s) {
        const bool here =
            context_.graph->edges(rounds_[r].type().edge_type,
                                  rounds_[r].shares()[s].partition) != nullptr;
        if (here == local) queue_.push_back({r, s, local});
      }
    }
  }
}

// Issues what the allowance bears. A local request answers before Issue
// returns, and may end the step.
void HopStep::Pump() {
  const auto self = shared_from_this();
  while (!queue_.empty()) {
    const Request request = queue_.front();
    uint64_t grant = 0;
    if (!MayIssue(request, &grant)) break;
    queue_.pop_front();
    edges_left_ -= grant;
    ++in_flight_;
    Issue(request, grant);
    if (done_ == nullptr || !context_.control->Live()) return;
  }
  if (in_flight_ > 0) {
    return context_.control->SetStage(BatchStage::kWaitingForPeer);
  }
  Merge();
}

// A share whose bound does not fit gets an even part of what is left; one that
// this was too little for waits until nothing else is in flight.
bool HopStep::MayIssue(const Request& request, uint64_t* grant) {
  const PartitionShare& share = ShareOf(request);
  if (share.alone) {
    *grant = edges_left_;
    return in_flight_ == 0;
  }
  const uint64_t most = rounds_[request.round].MostEdges(share);
  *grant = std::min(most, edges_left_ / queue_.size());
  return *grant > 0 || in_flight_ == 0;
}

void HopStep::Issue(const Request& request, uint64_t grant) {
  if (!request.local) return IssueRemote(request, grant);
  HopRound& round = rounds_[request.round];
  PartitionShare& share = ShareOf(request);
  const PlannedEdgeType& type = round.type();
  HopEdges edges;
  const absl::Status status = SampleHop(
      *context_.graph->edges(type.edge_type, share.partition),
      static_cast<uint64_t>(
          context_.graph->schema().node_types[type.src_type].num_nodes),
      round.LocalQuery(share, grant), &edges);
  if (!status.ok()) {
    return OnReply(
        request, grant,
        absl::Status(status.code(),
                     absl::StrCat("partition ", share.partition, ", edge type ",
                                  type.name, ": ", status.message())));
  }
  OnReply(request, grant, std::move(edges));
}

void HopStep::IssueRemote(const Request& request, uint64_t grant) {
  const HopRound& round = rounds_[request.round];
  const PartitionShare& share = ShareOf(request);
  if (context_.remote == nullptr) {
    return OnReply(request, grant,
                   absl::FailedPreconditionError(absl::StrCat(
                       "partition ", share.partition,
                       " is not on this server, which has no peers")));
  }
  RemoteHop hop = round.RemoteQuery(share);
  const uint64_t bytes = ReplyBytes(grant, hop.want_positions);
  context_.remote->SampleHop(
      std::move(hop), context_.LimitsFor(bytes), context_.strand,
      [self = shared_from_this(), request,
       grant](absl::StatusOr<HopEdges> reply) {
        if (self->done_ == nullptr || !self->context_.control->Live()) return;
        self->OnReply(request, grant, std::move(reply));
        if (self->done_ != nullptr) self->Pump();
      });
}

void HopStep::OnReply(const Request& request, uint64_t grant,
                      absl::StatusOr<HopEdges> reply) {
  --in_flight_;
  if (!reply.ok()) return Finish(reply.status());
  HopRound& round = rounds_[request.round];
  PartitionShare& share = ShareOf(request);
  const uint64_t edges_before = round.edges();
  const size_t answered_before = share.answered();
  const uint64_t received = reply->neighbors.size();
  const absl::Status status = round.Accept(share, *std::move(reply));
  if (!status.ok()) return Finish(status);
  const uint64_t kept = round.edges() - edges_before;
  edges_left_ += grant - std::min(grant, kept);
  if (share.unanswered() == 0) return;
  if (share.alone && received + 1 >= grant) {
    // It had all that was left: these edges prove the batch too large.
    context_.state->edges[round.planned()].edges += received - kept;
    return ReportTooLarge();
  }
  if (share.alone && share.answered() == answered_before) {
    return Finish(absl::InternalError(
        absl::StrCat("partition ", share.partition, " answers no node of ",
                     share.unanswered(), " with room for ", grant, " edges")));
  }
  share.alone = true;
  queue_.push_front(request);
}

void HopStep::ReportTooLarge() {
  for (const HopRound& round : rounds_) {
    context_.state->edges[round.planned()].edges += round.edges();
  }
  Finish(Outcome::kTooLarge);
}

void HopStep::Merge() {
  context_.control->SetStage(BatchStage::kSampling);
  for (HopRound& round : rounds_) {
    if (!context_.control->Live()) return;
    NodeTypeState& src = context_.state->nodes[round.type().src_type];
    if (src.numbering.size() + round.edges() > INT32_MAX) {
      return Finish(absl::InvalidArgumentError(
          absl::StrCat("more than ", INT32_MAX, " nodes in ", key_.ToString(),
                       "; lower num_neighbors or batch_size")));
    }
    EdgeTypeState& edges = context_.state->edges[round.planned()];
    edges.edges += round.edges();
    edges.per_hop[hop_] = static_cast<int64_t>(round.edges());
    edges.hops.push_back(round.Merge(src.numbering));
  }
  Finish(Outcome::kMerged);
}

void HopStep::Finish(absl::StatusOr<Outcome> outcome) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  queue_.clear();
  rounds_.clear();
  done(std::move(outcome));
}

}  // namespace tributary
