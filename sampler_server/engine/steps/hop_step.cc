#include "sampler_server/engine/steps/hop_step.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/random/hop_key.h"
#include "sampler_server/engine/batch/partition_error.h"
#include "sampler_server/engine/hop/other_types.h"

namespace tributary {
namespace {

// Returns the memory of a frontier node in a round: its part of the query, and
// a count, which may be held twice.
uint64_t FrontierBytes(const SamplingPlan& plan, const PlannedEdgeType& type) {
  return 24 + (plan.disjoint ? sizeof(uint32_t) : 0) +
         (type.time != TimeMode::kNone ? sizeof(int64_t) : 0);
}

// Returns the memory of a reply's edges: neighbour, edge id, position.
uint64_t ReplyBytes(uint64_t edges, const DrawRule& rule) {
  const uint64_t per_edge = BytesPerEdge(rule);
  return edges > UINT64_MAX / per_edge ? UINT64_MAX : edges * per_edge;
}

}  // namespace

HopStep::HopStep(StepContext context, int hop, const StepLimits& limits)
    : context_(std::move(context)),
      hop_(hop),
      working_bytes_(limits.working_bytes),
      edges_left_(limits.edges) {}

void HopStep::Start(Done done) {
  done_ = std::move(done);
  StartWave();
}

void HopStep::StartWave() {
  rounds_.clear();
  if (!AddRounds() || !LimitEdges()) return ReportTooLarge(0);
  AddRequests();
  Pump();
}

size_t HopStep::FrontierOf(const PlannedEdgeType& type) const {
  const NodeTypeState& dst = context_.state->nodes[type.dst_type];
  return type.fanouts[hop_] == 0 ? 0 : dst.frontier_end - dst.frontier_begin;
}

HopRound HopStep::MakeRound(size_t planned) const {
  const SamplingPlan& plan = *context_.plan;
  const PlannedEdgeType& type = plan.edge_types[planned];
  const NodeTypeState& dst = context_.state->nodes[type.dst_type];
  DrawRule rule;
  // LABOR's variates depend on the neighbour, not on the edge type nor, with
  // layer dependency, on the hop.
  const bool labor = type.draw == DrawMode::kLabor;
  // A draw across types is one draw, whichever type's edges are asked for.
  const std::string& drawn_for =
      type.draw == DrawMode::kAcrossTypes
          ? context_.graph->schema().node_types[type.dst_type].name
          : type.name;
  rule.key = MakeHopKey(
      {.random_seed = plan.random_seed,
       .epoch = context_.key.epoch,
       .batch = context_.key.index,
       .purpose = labor ? Purpose::kLabor : Purpose::kNeighbors,
       .hop = plan.layer_dependency ? 0 : static_cast<uint32_t>(hop_),
       .type_name = labor ? std::string_view() : drawn_for});
  rule.fanout = type.fanouts[hop_];
  rule.replace = plan.replace;
  rule.draw = type.draw;
  rule.time = type.time;
  rule.strict = plan.strict;
  rule.latest = plan.latest;
  rule.want_edge_ids = plan.holds_edge_ids();
  rule.want_positions = NeedsPositions(context_.graph->schema(), plan, type);
  rule.predicate = type.predicate;
  HopFrontier frontier;
  frontier.known =
      absl::MakeConstSpan(dst.numbering.ids()).first(dst.frontier_end);
  frontier.begin = dst.frontier_begin;
  frontier.trees = context_.state->trees;
  frontier.stop = context_.stop;
  frontier.tree_time = context_.state->tree_time;
  if (!context_.state->excluded.empty()) {
    frontier.excluded = &context_.state->excluded[planned];
  }
  return HopRound(context_.graph->schema(), plan, static_cast<int>(planned),
                  rule, frontier);
}

// Adds rounds of edge types while there is memory for their frontiers. Returns
// false if there is memory for none.
bool HopStep::AddRounds() {
  const auto& types = context_.plan->edge_types;
  for (; next_type_ < types.size(); ++next_type_) {
    const uint64_t bytes = FrontierOf(types[next_type_]) *
                           FrontierBytes(*context_.plan, types[next_type_]);
    if (bytes == 0) continue;
    // Splitting the frontier of a disjoint batch copies its ids.
    const uint64_t meanwhile =
        context_.plan->disjoint ? FrontierOf(types[next_type_]) * 8 : 0;
    const uint64_t most = working_bytes_ - std::min(working_bytes_, meanwhile);
    if (BytesHeld() + bytes > most) DropTables();
    if (BytesHeld() + bytes > most) return !rounds_.empty();
    rounds_.push_back(MakeRound(next_type_));
  }
  return true;
}

// Limits the edges to those that there is memory for. Returns false if there is
// memory for none.
bool HopStep::LimitEdges() {
  uint64_t most = 0, edge_bytes = 1, count_bytes = 0;
  for (HopRound& round : rounds_) {
    edge_bytes = std::max(edge_bytes, ReplyBytes(1, round.rule()));
    for (const PartitionShare& share : round.shares()) {
      most += std::min(round.MostEdges(share), UINT64_MAX - most);
      // Counted twice: a share may be asked again for the rest of a reply.
      count_bytes += 2 * share.rows.size() * sizeof(uint32_t);
    }
  }
  most = std::min(most, edges_left_);
  const auto room = [&] {
    const uint64_t held = BytesHeld() + count_bytes;
    return (working_bytes_ - std::min(working_bytes_, held)) / edge_bytes;
  };
  // If half of it suffices, replies may reserve memory and give back the rest.
  exact_memory_ = room() / 2 < most;
  if (room() < most) DropTables();
  edges_left_ = std::min(edges_left_, room());
  return edges_left_ > 0 || rounds_.empty();
}

void HopStep::DropTables() {
  for (NodeTypeState& type : context_.state->nodes) type.numbering.DropTable();
}

uint64_t HopStep::BytesHeld() const {
  uint64_t sum = context_.state->bytes();
  for (const HopRound& round : rounds_) sum += round.bytes();
  return sum;
}

// Remote requests come first: peers work while local partitions are sampled.
void HopStep::AddRequests() {
  for (const bool local : {false, true}) {
    for (size_t r = 0; r < rounds_.size(); ++r) {
      for (size_t s = 0; s < rounds_[r].shares().size(); ++s) {
        const bool here =
            context_.graph->edges(rounds_[r].type().edge_type,
                                  rounds_[r].shares()[s].partition) != nullptr;
        if (here != local) continue;
        queue_.push_back({r, s, local});
        if (context_.metrics == nullptr) continue;
        context_.metrics->Hop(here, rounds_[r].shares()[s].rows.size());
      }
    }
  }
}

// Issues requests while the allowance suffices. A local request is answered
// before Issue returns, and may end the step.
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
    if (done_ == nullptr || !context_.control->ContinueOrEnd()) return;
  }
  if (in_flight_ > 0) {
    return context_.control->SetStage(BatchStage::kWaitingForPeer);
  }
  Merge();
}

// A share whose bound does not fit into the allowance gets an even part of it;
// a share for which that was too little waits until nothing else is in flight.
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
  HopQuery query = round.LocalQuery(share, grant, exact_memory_);
  if (type.draw == DrawMode::kAcrossTypes) {
    query.others =
        OtherTypesOf(*context_.graph, type.edge_type, share.partition);
  }
  HopEdges edges;
  const absl::Status status = SampleHop(
      *context_.graph->edges(type.edge_type, share.partition),
      static_cast<uint64_t>(
          context_.graph->schema().node_types[type.src_type].num_nodes),
      query, &edges);
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
    return OnReply(request, grant, NoPeersError(share.partition));
  }
  RemoteHop hop = round.RemoteQuery(share);
  const uint64_t bytes = ReplyBytes(grant, hop.rule);
  context_.remote->SampleHop(
      std::move(hop), context_.LimitsFor(bytes), context_.strand,
      [self = shared_from_this(), request,
       grant](absl::StatusOr<HopEdges> reply) {
        if (self->done_ == nullptr || !self->context_.control->ContinueOrEnd())
          return;
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
  if (!HasRoomFor(share, *reply)) {
    context_.state->edges[round.planned()].edges += received;
    return ReportTooLarge(0);
  }
  const absl::Status status = round.Accept(share, *std::move(reply));
  if (!status.ok()) return Finish(status);
  const uint64_t kept = round.edges() - edges_before;
  edges_left_ += grant - std::min(grant, kept);
  if (share.unanswered() == 0) return;
  if (share.alone && received + 1 >= grant) {
    // Even the whole allowance was too little: the batch is too large.
    context_.state->edges[round.planned()].edges += received - kept;
    return ReportTooLarge(0);
  }
  if (share.alone && share.answered() == answered_before) {
    return Finish(absl::InternalError(
        absl::StrCat("partition ", share.partition, " answers no node of ",
                     share.unanswered(), " with room for ", grant, " edges")));
  }
  share.alone = true;
  queue_.push_front(request);
}

// While a reply is added to another one, or a node that was cut is dropped, a
// column is held twice.
bool HopStep::HasRoomFor(const PartitionShare& share,
                         const HopEdges& reply) const {
  if (share.answered() == 0 && !reply.last_is_partial) return true;
  uint64_t column = share.edges.neighbors.size() + reply.neighbors.size();
  if (reply.last_is_partial && !reply.counts.empty()) {
    column -= std::min<uint64_t>(column, reply.counts.back());
  }
  return BytesHeld() + reply.bytes() + reply.counts.size() * sizeof(uint32_t) +
             column * sizeof(uint64_t) <=
         working_bytes_;
}

// Rounds before `first_round` have been merged.
void HopStep::ReportTooLarge(size_t first_round) {
  for (size_t i = first_round; i < rounds_.size(); ++i) {
    context_.state->edges[rounds_[i].planned()].edges += rounds_[i].edges();
  }
  Finish(Outcome::kTooLarge);
}

void HopStep::Merge() {
  context_.control->SetStage(BatchStage::kSampling);
  for (size_t i = 0; i < rounds_.size(); ++i) {
    if (!context_.control->ContinueOrEnd()) return;
    const NodeTypeState& src =
        context_.state->nodes[rounds_[i].type().src_type];
    if (src.numbering.size() + rounds_[i].edges() > INT32_MAX) {
      return Finish(absl::InvalidArgumentError(absl::StrCat(
          "more than ", INT32_MAX, " nodes in ", context_.key.ToString(),
          "; lower num_neighbors or batch_size")));
    }
    if (!MergeRound(i)) {
      return context_.control->ContinueOrEnd() ? ReportTooLarge(i) : void();
    }
  }
  if (next_type_ == context_.plan->edge_types.size()) {
    return Finish(Outcome::kSampled);
  }
  StartWave();
}

// Returns false if working memory does not suffice.
bool HopStep::MergeRound(size_t index) {
  HopRound& round = rounds_[index];
  NodeTypeState& src = context_.state->nodes[round.type().src_type];
  const uint64_t others = BytesHeld() - round.bytes() - src.numbering.bytes();
  const uint64_t left = working_bytes_ - std::min(working_bytes_, others);
  SampledHop hop;
  if (!round.Merge(src.numbering, left, &hop)) {
    hop = SampledHop();
    if (!WhyStopped(context_.stop).ok()) return false;
    src.unnumbered += round.CountNewNodes(src.numbering);
    return false;
  }
  EdgeTypeState& edges = context_.state->edges[round.planned()];
  edges.edges += round.edges();
  edges.per_hop[hop_] = static_cast<int64_t>(round.edges());
  if (round.edges() > 0) edges.hops.push_back(std::move(hop));
  return true;
}

void HopStep::Finish(absl::StatusOr<Outcome> outcome) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  queue_.clear();
  rounds_.clear();
  done(std::move(outcome));
}

}  // namespace tributary
