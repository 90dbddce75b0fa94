#include "sampler_server/kinds/neighbor/neighbor_hops.h"

#include <utility>

#include "sampler_server/engine/steps/induce_step.h"
#include "sampler_server/engine/steps/mirror_edges.h"

namespace tributary {

NeighborHops::NeighborHops(StepContext context)
    : context_(std::move(context)) {}

void NeighborHops::Start(BatchProgram::Done done) {
  done_ = std::move(done);
  OpenFirstHop();
  BeginHop();
}

void NeighborHops::OpenFirstHop() {
  BatchState& state = *context_.state;
  for (NodeTypeState& type : state.nodes) {
    type.frontier_end = type.numbering.size();
    type.per_hop.push_back(static_cast<int64_t>(type.frontier_end));
  }
  for (EdgeTypeState& type : state.edges) {
    type.per_hop.resize(context_.plan->num_hops, 0);
  }
}

void NeighborHops::BeginHop() {
  if (!context_.control->ContinueOrEnd()) return;
  context_.control->SetStage(BatchStage::kSampling);
  auto step =
      std::make_shared<HopStep>(context_, hop_, context_.control->Limits());
  step->Start([self = shared_from_this()](auto outcome) {
    self->OnHopDone(std::move(outcome));
  });
}

void NeighborHops::OnHopDone(absl::StatusOr<HopStep::Outcome> outcome) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!outcome.ok()) return End(outcome.status());
  if (*outcome == HopStep::Outcome::kTooLarge) {
    return End(BatchProgram::Outcome::kTooLarge);
  }
  CloseHop();
  if (++hop_ == context_.plan->num_hops) return EndHops();
  context_.strand->Post([self = shared_from_this()] { self->BeginHop(); });
}

bool NeighborHops::induced() const {
  return context_.plan->subgraph.type == SubgraphType::kInduced;
}

void NeighborHops::CloseHop() {
  if (induced()) {  // only the nodes of what was drawn matter
    for (EdgeTypeState& type : context_.state->edges) {
      type.hops.clear();
      type.edges = 0;
    }
  }
  for (NodeTypeState& type : context_.state->nodes) {
    const size_t before = type.frontier_end;
    const size_t now = type.numbering.size();
    type.per_hop.push_back(static_cast<int64_t>(now - before));
    type.frontier_begin = context_.plan->expand_all ? 0 : before;
    type.frontier_end = now;
  }
}

void NeighborHops::EndHops() {
  using Outcome = BatchProgram::Outcome;
  if (context_.plan->subgraph.type == SubgraphType::kBidirectional) {
    const bool fits =
        MirrorEdges(*context_.plan, context_.control->Limits().working_bytes,
                    context_.state, context_.stop);
    if (!fits && !context_.control->ContinueOrEnd()) return;
    return End(fits ? Outcome::kSampled : Outcome::kTooLarge);
  }
  if (!induced()) return End(Outcome::kSampled);
  auto step =
      std::make_shared<InduceStep>(context_, context_.control->Limits());
  step->Start([self = shared_from_this()](absl::StatusOr<Outcome> outcome) {
    self->End(std::move(outcome));
  });
}

void NeighborHops::End(absl::StatusOr<BatchProgram::Outcome> outcome) {
  std::exchange(done_, nullptr)(std::move(outcome));
}

}  // namespace tributary
