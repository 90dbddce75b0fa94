#include "sampler_server/engine/steps/induce_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/batch/partition_error.h"
#include "sampler_server/engine/steps/local_induce.h"
#include "sampler_server/engine/steps/remote_induce.h"

namespace tributary {

InduceStep::InduceStep(StepContext context, const StepLimits& limits)
    : context_(std::move(context)), working_bytes_(limits.working_bytes) {}

InducedNodes InduceStep::Nodes() const {
  const auto& types = context_.graph->schema().node_types;
  const auto& nodes = context_.state->nodes;
  const int src = type().src_type, dst = type().dst_type;
  return {nodes[src].numbering.ids(), nodes[dst].numbering.ids(),
          static_cast<uint64_t>(types[src].num_nodes),
          static_cast<uint64_t>(types[dst].num_nodes), context_.state->trees};
}

uint64_t InduceStep::BytesHeld() const {
  uint64_t sum = context_.state->bytes();
  if (table_.has_value()) sum += table_->bytes();
  if (sources_.has_value()) sum += NodeSet::BytesFor(Nodes().sources.size());
  for (const InduceShare& share : shares_) sum += share.bytes();
  return sum;
}

void InduceStep::Start(Done done) {
  done_ = std::move(done);
  for (const ExcludedEdges& excluded : context_.state->excluded) {
    if (excluded.empty()) continue;
    return Finish(absl::UnimplementedError(
        "an induced subgraph without the edges that a batch excludes; allowed: "
        "subgraph_type directional"));
  }
  for (NodeTypeState& type : context_.state->nodes) type.numbering.DropTable();
  BeginType();
}

void InduceStep::BeginType() {
  if (!context_.control->ContinueOrEnd()) return;
  if (type_ == context_.plan->edge_types.size()) {
    return Finish(count_only_ ? Outcome::kTooLarge : Outcome::kSampled);
  }
  const InducedNodes nodes = Nodes();
  const absl::Status status =
      RemoteInduce(type().edge_type, nodes)
          .CheckNumSources(
              context_.graph->schema().node_types[type().src_type].name);
  if (!status.ok()) return Finish(status);
  // The counts, and the nodes of all shares.
  const uint64_t per_node = 2 * sizeof(uint32_t);
  if (BytesHeld() + NodeSet::BytesFor(nodes.sources.size()) +
          nodes.destinations.size() * per_node >
      working_bytes_) {
    return Finish(Outcome::kTooLarge);
  }
  sources_.emplace(nodes.sources, context_.stop);
  table_.emplace(nodes.destinations.size(), !context_.plan->omit_edge_ids);
  shares_ = MakeInduceShares(*context_.graph, type().edge_type, nodes);
  taking_ = false;
  BeginPass();
}

// Peers are asked first: they work while the shares of this server are read.
void InduceStep::BeginPass() {
  const auto self = shared_from_this();
  unfinished_ = shares_.size() + 1;
  for (InduceShare& share : shares_) share.BeginPass();
  for (size_t i = 0; i < shares_.size(); ++i) {
    if (!shares_[i].here) AskNext(i);
    if (done_ == nullptr) return;
  }
  for (size_t i = 0; i < shares_.size(); ++i) {
    if (!shares_[i].here) continue;
    context_.strand->Post([self, i] { self->ReadSome(i); });
  }
  EndShare();
}

// A share, or BeginPass, has nothing left to do in this pass.
void InduceStep::EndShare() {
  if (--unfinished_ > 0) {
    bool reading = false;
    for (const InduceShare& share : shares_) {
      reading |= share.here && !share.done();
    }
    if (!reading) context_.control->SetStage(BatchStage::kWaitingForPeer);
    return;
  }
  context_.control->SetStage(BatchStage::kSampling);
  context_.strand->Post([self = shared_from_this()] {
    if (!self->context_.control->ContinueOrEnd()) return;
    self->taking_ ? self->OnTaken() : self->OnCounted();
  });
}

void InduceStep::ReadSome(size_t i) {
  if (done_ == nullptr || !context_.control->ContinueOrEnd()) return;
  InduceShare& share = shares_[i];
  const absl::Status status = ReadPiece(&share);
  if (!status.ok()) return Finish(NamePartition(status, share.partition));
  if (share.done()) return EndShare();
  context_.strand->Post([self = shared_from_this(), i] { self->ReadSome(i); });
}

absl::Status InduceStep::ReadPiece(InduceShare* share) {
  const InducedNodes nodes = Nodes();
  const LocalInduce local(*context_.graph, type().edge_type, nodes, *sources_,
                          context_.stop);
  return taking_ ? local.TakeSome(share, &*table_)
                 : AddScanned(local.CountSome(ScansLeft(), share, &*table_));
}

void InduceStep::AskNext(size_t i) {
  InduceShare& share = shares_[i];
  if (context_.remote == nullptr) return Finish(NoPeersError(share.partition));
  const InducedNodes nodes = Nodes();
  const RemoteInduce remote(type().edge_type, nodes);
  std::optional<PartitionQuestion> question =
      taking_ ? remote.MakeTake(*table_, &share)
              : remote.MakeCount(share, ScansLeft());
  if (!question.has_value()) return EndShare();
  question->check = [self = shared_from_this(),
                     i](absl::Span<const uint8_t> answer) {
    const bool goes_on =
        self->done_ != nullptr && self->context_.control->ContinueOrEnd();
    return goes_on ? self->Check(answer, self->shares_[i]) : absl::OkStatus();
  };
  context_.remote->Ask(
      *std::move(question), context_.LimitsFor(0), context_.strand,
      [self = shared_from_this(), i](absl::StatusOr<AlignedBuffer> answer) {
        if (self->done_ == nullptr) return;
        if (!self->context_.control->ContinueOrEnd()) return;
        if (!answer.ok()) return self->Finish(answer.status());
        InduceShare& share = self->shares_[i];
        const absl::Status status = self->Accept(answer->span(), &share);
        if (!status.ok()) return self->Finish(status);
        share.done() ? self->EndShare() : self->AskNext(i);
      });
}

absl::Status InduceStep::Check(absl::Span<const uint8_t> answer,
                               const InduceShare& share) const {
  const InducedNodes nodes = Nodes();
  const RemoteInduce remote(type().edge_type, nodes);
  return taking_ ? remote.CheckEdges(answer, share, *table_)
                 : remote.CheckCounts(answer, ScansLeft(), share);
}

absl::Status InduceStep::Accept(absl::Span<const uint8_t> answer,
                                InduceShare* share) {
  const InducedNodes nodes = Nodes();
  const RemoteInduce remote(type().edge_type, nodes);
  if (taking_) return remote.AcceptEdges(answer, share, &*table_);
  return AddScanned(remote.AcceptCounts(answer, ScansLeft(), share, &*table_));
}

uint64_t InduceStep::ScansLeft() const {
  return context_.plan->subgraph.max_scanned_edges - scanned_;
}

absl::Status InduceStep::AddScanned(absl::StatusOr<uint64_t> edges) {
  RETURN_IF_ERROR(edges.status());
  const uint64_t most = context_.plan->subgraph.max_scanned_edges;
  scanned_ += *edges;
  if (scanned_ <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the nodes of the batch have more than max_scanned_edges, ", most,
      ", in-edges to look at for its induced subgraph; raise it, or lower "
      "num_neighbors or batch_size"));
}

void InduceStep::OnCounted() {
  EdgeTypeState& edges = context_.state->edges[type_];
  edges.edges = table_->NumEdges();
  const bool positions =
      NeedsPositions(context_.graph->schema(), *context_.plan, type());
  if (count_only_ ||
      BytesHeld() + table_->BytesToFill(positions) > working_bytes_) {
    count_only_ = true;
    // The batch will not be made of edges that were taken before.
    for (EdgeTypeState& type : context_.state->edges) type.hops.clear();
    return EndType();
  }
  table_->Allocate(positions);
  taking_ = true;
  BeginPass();
}

void InduceStep::OnTaken() {
  if (table_->has_positions()) {
    for (const InduceShare& share : shares_) {
      table_->SetOwner(share.nodes, share.partition);
    }
  }
  SampledHop hop = table_->Release();
  if (!hop.src.empty()) {
    context_.state->edges[type_].hops.push_back(std::move(hop));
  }
  EndType();
}

void InduceStep::EndType() {
  DropType();
  ++type_;
  context_.strand->Post([self = shared_from_this()] { self->BeginType(); });
}

void InduceStep::DropType() {
  sources_.reset();
  table_.reset();
  FreeMemory(shares_);
}

void InduceStep::Finish(absl::StatusOr<Outcome> outcome) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  DropType();
  done(std::move(outcome));
}

}  // namespace tributary
