#include "sampler_server/kinds/link/negative_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/random/hop_key.h"
#include "common/text/status.h"
#include "sampler_server/engine/ids/resolve_ids.h"
#include "sampler_server/kinds/link/negative_search.h"

namespace tributary {
namespace {

// Negatives of a piece; one that is drawn by degree takes a microsecond or
// more.
constexpr uint64_t kPiece = 16384, kPieceByDegree = 1024;
constexpr uint64_t kLeastSearched = 32, kMostSearched = 4096;

NegativeDraw::Over NodesOf(const StepContext& context, int type) {
  return {static_cast<uint64_t>(
      context.graph->schema().node_types[type].num_nodes)};
}

NegativeDraw::Over OverSources(const StepContext& context,
                               const SupervisionType& type) {
  NegativeDraw::Over over = NodesOf(context, type.src_type);
  const DegreeArrays* degrees = context.graph->degrees(type.edge_type);
  if (type.sources == nullptr || degrees == nullptr) return over;
  over.table = type.sources.get();
  over.degrees = degrees->out;
  return over;
}

NegativeDraw::Over OverDestinations(const StepContext& context,
                                    const SupervisionType& type) {
  NegativeDraw::Over over = NodesOf(context, type.dst_type);
  const DegreeArrays* degrees = context.graph->degrees(type.edge_type);
  if (type.destinations == nullptr || degrees == nullptr) return over;
  over.table = type.destinations.get();
  over.degrees = degrees->in;
  return over;
}

}  // namespace

NegativeStep::NegativeStep(StepContext context, uint64_t parts_bytes,
                           LinkPart* part)
    : context_(std::move(context)),
      plan_(LinkPlan::Of(*context_.plan)),
      parts_bytes_(parts_bytes),
      part_(part),
      draw_(MakeHopKey({.random_seed = context_.plan->random_seed,
                        .epoch = context_.key.epoch,
                        .batch = context_.key.index,
                        .purpose = Purpose::kNegatives,
                        .type_name = part->type->name}),
            OverSources(context_, *part->type),
            OverDestinations(context_, *part->type)) {}

void NegativeStep::Start(Done done) {
  done_ = std::move(done);
  if (part_->type->destinations == nullptr) return DrawPiece();
  SumDegrees();
}

// The first batches of the session sum the tables up together, piece by piece.
void NegativeStep::SumDegrees() {
  if (!context_.control->ContinueOrEnd()) return;
  const SupervisionType& type = *part_->type;
  const DegreeArrays* degrees = context_.graph->degrees(type.edge_type);
  if (degrees == nullptr) {
    return End(absl::FailedPreconditionError(
        "negatives by degree of a graph that stores no degrees"));
  }
  absl::StatusOr<bool> summed = type.destinations->Sum(degrees->in);
  if (summed.ok() && *summed && type.sources != nullptr) {
    summed = type.sources->Sum(degrees->out);
  }
  if (!summed.ok()) return End(summed.status());
  if (*summed) return DrawPiece();
  context_.strand->Post([self = shared_from_this()] { self->SumDegrees(); });
}

void NegativeStep::DrawPiece() {
  if (!context_.control->ContinueOrEnd()) return;
  const uint64_t from = part_->destinations.size() - part_->num_links;
  if (from == part_->num_negatives) return End(absl::OkStatus());
  if (plan_.Searches(*part_->type)) return Search(from);
  const uint64_t piece =
      part_->type->destinations == nullptr ? kPiece : kPieceByDegree;
  const uint64_t to = std::min(from + piece, part_->num_negatives);
  const absl::Status status =
      plan_.given ? TakeGiven(from, to) : Draw(from, to);
  if (!status.ok()) return End(status);
  OnPieceDrawn();
}

// Takes the negatives that came with the links.
absl::Status NegativeStep::TakeGiven(uint64_t from, uint64_t to) {
  const absl::Span<const int64_t> given =
      part_->Of(context_.links->negative, context_.plan->negatives);
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                   ResolveIds(*context_.graph, part_->type->dst_type,
                              given.subspan(from, to - from), context_.stop));
  part_->destinations.insert(part_->destinations.end(), ids.begin(), ids.end());
  return absl::OkStatus();
}

absl::Status NegativeStep::Draw(uint64_t from, uint64_t to) {
  std::vector<int64_t> sources, destinations;
  sources.reserve(to - from);
  destinations.reserve(to - from);
  for (uint64_t j = from; j < to; ++j) {
    if (ShouldStop(context_.stop, draw_.work())) return context_.stop->why();
    const NegativeDraw::Ends ends = draw_.Draw(0, static_cast<uint32_t>(j));
    sources.push_back(ends.source);
    destinations.push_back(ends.destination);
  }
  if (plan_.mode == NegativeMode::kBinary) {
    ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                     ResolveIds(*context_.graph, part_->type->src_type, sources,
                                context_.stop));
    part_->sources.insert(part_->sources.end(), ids.begin(), ids.end());
  }
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                   ResolveIds(*context_.graph, part_->type->dst_type,
                              destinations, context_.stop));
  part_->destinations.insert(part_->destinations.end(), ids.begin(), ids.end());
  return absl::OkStatus();
}

// Searches for as many negatives at once as there is memory for.
void NegativeStep::Search(uint64_t from) {
  const uint64_t held = context_.state->bytes() + parts_bytes_;
  const uint64_t working = context_.control->Limits().working_bytes;
  const uint64_t room = working - std::min(working, held);
  const uint64_t piece = std::clamp(room / NegativeSearch::kBytesPerNegative,
                                    kLeastSearched, kMostSearched);
  std::make_shared<NegativeSearch>(context_, draw_, *part_)
      ->Start(from, std::min(from + piece, part_->num_negatives),
              [self = shared_from_this()](
                  absl::StatusOr<NegativeSearch::Found> found) {
                if (!found.ok()) return self->End(found.status());
                auto& sources = self->part_->sources;
                auto& destinations = self->part_->destinations;
                sources.insert(sources.end(), found->sources.begin(),
                               found->sources.end());
                destinations.insert(destinations.end(),
                                    found->destinations.begin(),
                                    found->destinations.end());
                self->part_->exhausted += found->exhausted;
                self->OnPieceDrawn();
              });
}

// Goes on in another turn, when this call has freed its memory.
void NegativeStep::OnPieceDrawn() {
  context_.strand->Post([self = shared_from_this()] { self->DrawPiece(); });
}

void NegativeStep::End(absl::Status status) {
  std::exchange(done_, nullptr)(std::move(status));
}

}  // namespace tributary
