#include "sampler_server/kinds/link/link_program.h"

#include <algorithm>
#include <utility>

#include "common/session/hop_key.h"
#include "common/status.h"
#include "sampler_server/engine/held_memory.h"
#include "sampler_server/engine/resolve_ids.h"
#include "sampler_server/engine/tree_ids.h"
#include "sampler_server/kinds/link/negative_search.h"
#include "sampler_server/kinds/neighbor/neighbor_hops.h"

namespace tributary {
namespace {

// Negatives at a time; by degree each takes a microsecond or more.
constexpr uint64_t kPiece = 16384, kPieceByDegree = 1024;
constexpr uint64_t kLeastSearched = 32, kMostSearched = 4096;
constexpr uint64_t kLabelledAtOnce = 65536;  // edges that are looked at
// Of a link or negative, beside what the state holds: ids and numbers of its
// ends, and a piece's original ids.
constexpr uint64_t kBytesPerPair = 40;

uint64_t NumNodes(const StepContext& context, int type) {
  return static_cast<uint64_t>(
      context.graph->schema().node_types[type].num_nodes);
}

NegativeDraw::Over OverSources(const StepContext& context,
                               const LinkPlan& plan) {
  NegativeDraw::Over over{NumNodes(context, plan.src_type)};
  const DegreeArrays* degrees = context.graph->degrees(context.plan->link_type);
  if (plan.sources == nullptr || degrees == nullptr) return over;
  over.table = plan.sources.get();
  over.degrees = degrees->out;
  return over;
}

NegativeDraw::Over OverDestinations(const StepContext& context,
                                    const LinkPlan& plan) {
  NegativeDraw::Over over{NumNodes(context, plan.dst_type)};
  const DegreeArrays* degrees = context.graph->degrees(context.plan->link_type);
  if (plan.destinations == nullptr || degrees == nullptr) return over;
  over.table = plan.destinations.get();
  over.degrees = degrees->in;
  return over;
}

}  // namespace

LinkProgram::LinkProgram(StepContext context)
    : context_(std::move(context)),
      plan_(LinkPlan::Of(*context_.plan)),
      num_links_(context_.state->positions),
      num_negatives_(plan_.num_negatives(num_links_)),
      draw_(MakeHopKey({.random_seed = context_.plan->random_seed,
                        .epoch = context_.key.epoch,
                        .batch = context_.key.index,
                        .purpose = Purpose::kNegatives,
                        .type_name = plan_.edge_type}),
            OverSources(context_, plan_), OverDestinations(context_, plan_)),
      tensors_(context_, plan_, num_links_, num_negatives_) {}

void LinkProgram::Start(Done done) {
  done_ = std::move(done);
  tensors_.Add();
  if (!HasRoom()) return End(Outcome::kTooLarge);
  const absl::Status status = ResolveLinks();
  if (!status.ok()) return End(status);
  if (plan_.destinations == nullptr) return DrawPiece();
  SumDegrees();
}

// Whichever batches come first do it together, a piece at a time.
void LinkProgram::SumDegrees() {
  if (!context_.control->Live()) return;
  const DegreeArrays* degrees =
      context_.graph->degrees(context_.plan->link_type);
  if (degrees == nullptr) {
    return End(absl::FailedPreconditionError(
        "negatives by degree of a graph that stores no degrees"));
  }
  absl::StatusOr<bool> summed = plan_.destinations->Sum(degrees->in);
  if (summed.ok() && *summed && plan_.sources != nullptr) {
    summed = plan_.sources->Sum(degrees->out);
  }
  if (!summed.ok()) return End(summed.status());
  if (*summed) return DrawPiece();
  context_.strand->Post([self = shared_from_this()] { self->SumDegrees(); });
}

bool LinkProgram::HasRoom() const {
  const StepLimits limits = context_.control->Limits();
  uint64_t bytes = (num_links_ + num_negatives_) * kBytesPerPair;
  for (const KindTensor& tensor : context_.state->tensors) {
    bytes += static_cast<uint64_t>(NumElements(tensor.shape)) *
             DTypeSize(tensor.dtype);
  }
  return bytes + context_.state->bytes() <= limits.working_bytes;
}

// ---- what hops begin at -----------------------------------------------------

absl::Status LinkProgram::ResolveLinks() {
  const LinkColumns& links = *context_.links;
  ASSIGN_OR_RETURN(sources_,
                   ResolveIds(*context_.graph, plan_.src_type, links.source));
  ASSIGN_OR_RETURN(destinations_, ResolveIds(*context_.graph, plan_.dst_type,
                                             links.destination));
  const LinkStarts starts =
      CountLinkStarts(plan_.mode, num_links_, num_negatives_);
  sources_.reserve(starts.sources);
  destinations_.reserve(starts.destinations);
  return absl::OkStatus();
}

void LinkProgram::DrawPiece() {
  if (!context_.control->Live()) return;
  const uint64_t from = destinations_.size() - num_links_;
  if (from == num_negatives_) return OnAllDrawn();
  if (plan_.searches()) return Search(from);
  const uint64_t piece =
      plan_.destinations == nullptr ? kPiece : kPieceByDegree;
  const uint64_t to = std::min(from + piece, num_negatives_);
  const absl::Status status =
      plan_.given ? TakeGiven(from, to) : DrawNegatives(from, to);
  if (!status.ok()) return End(status);
  OnPieceDrawn();
}

// Those that came with the links.
absl::Status LinkProgram::TakeGiven(uint64_t from, uint64_t to) {
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                   ResolveIds(*context_.graph, plan_.dst_type,
                              absl::MakeConstSpan(context_.links->negative)
                                  .subspan(from, to - from)));
  destinations_.insert(destinations_.end(), ids.begin(), ids.end());
  return absl::OkStatus();
}

// As many at once as there is memory for their candidates.
void LinkProgram::Search(uint64_t from) {
  const uint64_t held =
      context_.state->bytes() + (num_links_ + num_negatives_) * kBytesPerPair;
  const uint64_t working = context_.control->Limits().working_bytes;
  const uint64_t room = working - std::min(working, held);
  const uint64_t piece = std::clamp(room / NegativeSearch::kBytesPerNegative,
                                    kLeastSearched, kMostSearched);
  std::make_shared<NegativeSearch>(
      context_, draw_, absl::MakeConstSpan(sources_).first(num_links_))
      ->Start(from, std::min(from + piece, num_negatives_),
              [self = shared_from_this()](
                  absl::StatusOr<NegativeSearch::Found> found) {
                if (!found.ok()) return self->End(found.status());
                auto& sources = self->sources_;
                auto& destinations = self->destinations_;
                sources.insert(sources.end(), found->sources.begin(),
                               found->sources.end());
                destinations.insert(destinations.end(),
                                    found->destinations.begin(),
                                    found->destinations.end());
                self->exhausted_ += found->exhausted;
                self->OnPieceDrawn();
              });
}

// When this call has let go of what it holds.
void LinkProgram::OnPieceDrawn() {
  context_.strand->Post([self = shared_from_this()] { self->DrawPiece(); });
}

void LinkProgram::OnAllDrawn() {
  if (!Number()) return End(Outcome::kTooLarge);
  tensors_.Write(source_numbers_, destination_numbers_, exhausted_);
  const absl::Status status = ExcludeLinks();
  if (!status.ok()) return End(status);
  RunHops();
}

absl::Status LinkProgram::DrawNegatives(uint64_t from, uint64_t to) {
  std::vector<int64_t> sources, destinations;
  sources.reserve(to - from);
  destinations.reserve(to - from);
  for (uint64_t j = from; j < to; ++j) {
    const NegativeDraw::Ends ends = draw_.Draw(0, static_cast<uint32_t>(j));
    sources.push_back(ends.source);
    destinations.push_back(ends.destination);
  }
  if (plan_.mode == NegativeMode::kBinary) {
    ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                     ResolveIds(*context_.graph, plan_.src_type, sources));
    sources_.insert(sources_.end(), ids.begin(), ids.end());
  }
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                   ResolveIds(*context_.graph, plan_.dst_type, destinations));
  destinations_.insert(destinations_.end(), ids.begin(), ids.end());
  return absl::OkStatus();
}

// False when working memory does not suffice.
bool LinkProgram::Number() {
  source_numbers_.resize(sources_.size());
  destination_numbers_.resize(destinations_.size());
  const auto sources = absl::MakeSpan(sources_);
  const auto destinations = absl::MakeSpan(destinations_);
  return NumberStarts(plan_.src_type, sources.first(num_links_), false,
                      source_numbers_.data()) &&
         NumberStarts(plan_.dst_type, destinations.first(num_links_), false,
                      destination_numbers_.data()) &&
         NumberStarts(plan_.src_type, sources.subspan(num_links_), true,
                      source_numbers_.data() + num_links_) &&
         NumberStarts(plan_.dst_type, destinations.subspan(num_links_), true,
                      destination_numbers_.data() + num_links_);
}

// A disjoint batch has a tree for each link, with its negatives in it.
bool LinkProgram::NumberStarts(int type, absl::Span<const uint64_t> ids,
                               bool negative, uint32_t* local) {
  std::vector<uint64_t> in_trees;
  if (context_.plan->disjoint) {
    const TreeIds trees(NumNodes(context_, type));
    in_trees.reserve(ids.size());
    for (uint64_t i = 0; i < ids.size(); ++i) {
      const uint64_t tree = negative ? plan_.LinkOf(i, num_links_) : i;
      in_trees.push_back(trees.Id(static_cast<uint32_t>(tree), ids[i]));
    }
    ids = in_trees;
  }
  LocalNumbering& numbering = context_.state->nodes[type].numbering;
  const uint64_t held = context_.state->bytes() - numbering.bytes() +
                        (num_links_ + num_negatives_) * kBytesPerPair;
  const uint64_t working = context_.control->Limits().working_bytes;
  return held <= working && numbering.Number(ids, local, working - held);
}

// ---- the end ----------------------------------------------------------------

absl::Status LinkProgram::ExcludeLinks() {
  if (plan_.exclude == ExcludeMode::kNone) return absl::OkStatus();
  const auto& types = context_.plan->edge_types;
  std::vector<ExcludedEdges>& excluded = context_.state->excluded;
  excluded.resize(types.size());
  for (size_t t = 0; t < types.size(); ++t) {
    if (types[t].emitted_type() == context_.plan->link_type) {
      ExcludeLinksFrom(types[t], &excluded[t]);
    }
    if (types[t].emitted_type() == plan_.reverse_type) {
      ExcludeReversesFrom(types[t], &excluded[t]);
    }
    RETURN_IF_ERROR(excluded[t].Finish());
  }
  return absl::OkStatus();
}

// Rows are the nodes that edges end at; of out-edges those they begin at.
void LinkProgram::ExcludeLinksFrom(const PlannedEdgeType& type,
                                   ExcludedEdges* excluded) const {
  const bool out = type.turned_to >= 0;
  for (uint64_t i = 0; i < num_links_; ++i) {
    const uint64_t row = out ? sources_[i] : destinations_[i];
    if (plan_.exclude == ExcludeMode::kPair) {
      excluded->by_source.push_back(
          {row, out ? destinations_[i] : sources_[i]});
    } else if (context_.links->edge_id[i] >= 0) {  // an edge of the graph
      excluded->by_id.push_back({row, context_.links->edge_id[i]});
    }
  }
}

void LinkProgram::ExcludeReversesFrom(const PlannedEdgeType& type,
                                      ExcludedEdges* excluded) const {
  const bool out = type.turned_to >= 0;
  const bool pairs = plan_.exclude == ExcludeMode::kReverseId;
  for (uint64_t i = 0; i < num_links_; ++i) {
    const int64_t id = context_.links->edge_id[i];
    if (id < 0) continue;
    excluded->by_id.push_back(
        {out ? destinations_[i] : sources_[i], pairs ? id ^ 1 : id});
  }
}

// What is left is in the state alone.
void LinkProgram::RunHops() {
  LetGo(sources_);
  LetGo(destinations_);
  if (!plan_.enclosing) {
    LetGo(source_numbers_);
    LetGo(destination_numbers_);
  }
  std::make_shared<NeighborHops>(context_)->Start(
      [self = shared_from_this()](auto outcome) {
        self->plan_.enclosing ? self->Enclose(std::move(outcome))
                              : self->End(std::move(outcome));
      });
}

// What is counted of a batch that is too large has its labels counted, too.
void LinkProgram::Enclose(absl::StatusOr<Outcome> outcome) {
  if (!outcome.ok()) return End(std::move(outcome));
  const NodeTypeState& nodes = context_.state->nodes[plan_.src_type];
  context_.state->tensors.push_back(
      {"z" + plan_.src_suffix,
       DType::kInt64,
       {static_cast<int64_t>(nodes.numbering.size() + nodes.unnumbered)},
       {}});
  if (*outcome != Outcome::kSampled) return End(std::move(outcome));
  enclosing_ = std::make_unique<Enclosing>(
      context_.graph->schema(), *context_.plan, plan_, source_numbers_,
      destination_numbers_, context_.state);
  const uint64_t labels = nodes.numbering.size() * sizeof(int64_t);
  if (context_.state->bytes() + labels + enclosing_->bytes() >
      context_.control->Limits().working_bytes) {
    return End(Outcome::kTooLarge);
  }
  enclosing_->DropLinks();
  context_.state->tensors.back().bytes.assign(labels, 0);
  LabelSome();
}

void LinkProgram::LabelSome() {
  if (!context_.control->Live()) return;
  std::vector<uint8_t>& bytes = context_.state->tensors.back().bytes;
  const auto labels = absl::MakeSpan(reinterpret_cast<int64_t*>(bytes.data()),
                                     bytes.size() / sizeof(int64_t));
  if (enclosing_->Label(labels, kLabelledAtOnce)) {
    enclosing_.reset();
    return End(Outcome::kSampled);
  }
  context_.strand->Post([self = shared_from_this()] { self->LabelSome(); });
}

void LinkProgram::End(absl::StatusOr<Outcome> outcome) {
  std::exchange(done_, nullptr)(std::move(outcome));
}

}  // namespace tributary
