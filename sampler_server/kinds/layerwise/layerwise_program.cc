#include "sampler_server/kinds/layerwise/layerwise_program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/random/hop_key.h"
#include "partition/schema/feature_columns.h"
#include "sampler_server/engine/batch/batch_writer.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/questions/adjacency_questions.h"
#include "sampler_server/kinds/layerwise/graph_draw.h"

namespace tributary {
namespace {

constexpr uint32_t kDrawsOfPiece = 8192;
// Memory that AskDegrees and AskNeighbors hold for each node.
constexpr uint64_t kBytesPerQuestion = 72;
// Memory of a kept edge: its source's number, its weight. Its id comes to it.
constexpr uint64_t kBytesPerKept = sizeof(uint32_t) + sizeof(float);

}  // namespace

uint64_t LayerwiseProgram::BytesHeld() const {
  return context_.state->bytes() + HeldBytes(degree_) + HeldBytes(first_) +
         HeldBytes(neighbors_) + HeldBytes(edge_ids_) + HeldBytes(candidate_) +
         HeldBytes(candidate_id_) + HeldBytes(local_) + HeldBytes(share_) +
         (draw_.has_value() ? LayerDraw::BytesFor(draw_->size(),
                                                  plan_.nodes_per_layer[layer_])
                            : 0);
}

bool LayerwiseProgram::Fits(uint64_t bytes) {
  const uint64_t wanted = BytesHeld() + bytes;
  const uint64_t working = context_.control->Limits().working_bytes;
  short_of_ = wanted > working ? wanted - working : 0;
  return short_of_ == 0;
}

void LayerwiseProgram::Start(Done done) {
  done_ = std::move(done);
  for (NodeTypeState& type : context_.state->nodes) {
    type.per_hop.push_back(static_cast<int64_t>(type.numbering.size()));
    type.per_hop.resize(context_.plan->num_hops + 1, 0);
  }
  edges().per_hop.resize(context_.plan->num_hops, 0);
  context_.state->tensors.push_back(
      {plan_.weight_name, DType::kFloat32, {0}, {}});
  plan_.degrees == nullptr ? BeginLayer() : SumDegrees();
}

// The first batches of the session sum the table up together, piece by piece.
void LayerwiseProgram::SumDegrees() {
  const DegreeArrays* degrees = context_.graph->degrees(edge_type().edge_type);
  if (degrees == nullptr) {
    return End(absl::FailedPreconditionError(
        "importance fastgcn of a graph that stores no degrees"));
  }
  const absl::StatusOr<bool> summed = plan_.degrees->Sum(degrees->out);
  if (!summed.ok()) return End(summed.status());
  *summed ? BeginLayer() : Later(&LayerwiseProgram::SumDegrees);
}

void LayerwiseProgram::BeginLayer() {
  context_.control->SetStage(BatchStage::kSampling);
  size_ = nodes().numbering.size();
  const bool positions =
      NeedsPositions(context_.graph->schema(), *context_.plan, edge_type());
  if (!Fits(size_ * (2 * sizeof(uint64_t) + kBytesPerQuestion))) {
    return EndTooLarge();
  }
  degree_.assign(size_, 0);
  first_.assign(positions ? size_ : 0, 0);
  AskDegrees(context_, edge_type().edge_type, nodes().numbering.ids(),
             absl::MakeSpan(degree_), absl::MakeSpan(first_),
             [self = shared_from_this()](absl::Status status) {
               self->OnDegrees(std::move(status));
             });
}

void LayerwiseProgram::OnDegrees(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  context_.control->SetStage(BatchStage::kSampling);
  // Goes on in another turn, when the question has freed its memory; so below.
  Later(&LayerwiseProgram::ReadRows);
}

void LayerwiseProgram::ReadRows() {
  uint64_t total = 0;
  for (const uint64_t degree : degree_) total += degree;
  if (total > INT32_MAX) {
    return End(absl::InvalidArgumentError(
        absl::StrCat("the nodes of layer ", layer_, " have ", total,
                     " neighbours; allowed: up to ", INT32_MAX,
                     ": lower batch_size or nodes_per_layer")));
  }
  // Ids of nodes and edges, and numbers.
  if (!Fits(size_ * kBytesPerQuestion +
            total * (sizeof(uint64_t) + EdgeIdBytes() + sizeof(uint32_t)))) {
    return EndTooLarge();
  }
  neighbors_.assign(total, 0);
  if (EdgeIdBytes() > 0) edge_ids_.assign(total, 0);
  AskNeighbors(context_, edge_type().edge_type, nodes().numbering.ids(),
               degree_, absl::MakeSpan(neighbors_), absl::MakeSpan(edge_ids_),
               [self = shared_from_this()](absl::Status status) {
                 self->OnNeighbors(std::move(status));
               });
}

void LayerwiseProgram::OnNeighbors(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  context_.control->SetStage(BatchStage::kSampling);
  Later(&LayerwiseProgram::Weigh);
}

PhiloxKey LayerwiseProgram::Key() const {
  return MakeHopKey({.random_seed = context_.plan->random_seed,
                     .epoch = context_.key.epoch,
                     .batch = context_.key.index,
                     .purpose = Purpose::kLayerWise,
                     .hop = static_cast<uint32_t>(layer_),
                     .type_name = edge_type().name});
}

void LayerwiseProgram::Weigh() {
  if (!NumberCandidates()) {
    return context_.control->ContinueOrEnd() ? EndTooLarge() : void();
  }
  if (plan_.degrees != nullptr) return DrawFromGraph();
  const uint32_t wanted = plan_.nodes_per_layer[layer_];
  if (!Fits(LayerDraw::BytesFor(candidate_id_.size(), wanted))) {
    return EndTooLarge();
  }
  const bool uniform = plan_.importance == LayerImportance::kUniform;
  std::vector<uint64_t> q(candidate_id_.size(), uniform ? 1 : 0);
  auto edge = candidate_.begin();
  for (size_t v = 0; v < size_ && !uniform; ++v) {
    if (degree_[v] == 0) continue;
    const uint64_t share = SquaredShare(degree_[v], size_);
    for (uint64_t i = 0; i < degree_[v]; ++i) {
      if (context_.EndsAfter(1)) return;
      q[*edge++] += share;
    }
  }
  draw_.emplace(std::move(q), Key(), wanted);
  DrawSome();
}

void LayerwiseProgram::DrawFromGraph() {
  const uint32_t wanted = plan_.nodes_per_layer[layer_];
  if (!Fits(GraphDraw::BytesFor(wanted) +
            candidate_id_.size() * sizeof(double))) {
    return EndTooLarge();
  }
  const auto drawn = GraphDraw::Draw(*context_.graph, context_.plan->input_type,
                                     edge_type().edge_type, *plan_.degrees,
                                     Key(), wanted, context_.stop);
  if (!drawn.ok()) return End(drawn.status());
  share_.reserve(candidate_id_.size());
  for (const uint64_t id : candidate_id_) {
    if (context_.EndsAfter(2)) return;
    share_.push_back(drawn->Share(id));
  }
  KeepDrawn();
}

// Returns the weight of an edge from a candidate before weights are scaled.
double LayerwiseProgram::GainOf(uint32_t candidate) const {
  if (!draw_.has_value()) return share_[candidate];
  return draw_->takes_all()
             ? 1.0
             : 1.0 / static_cast<double>(draw_->weight(candidate));
}

// Numbers the neighbours by first occurrence, which does not depend on layouts.
// Returns false if working memory does not suffice.
bool LayerwiseProgram::NumberCandidates() {
  const GraphSchema& schema = context_.graph->schema();
  LocalNumbering candidates(static_cast<uint64_t>(
      schema.node_types[context_.plan->input_type].num_nodes));
  candidate_.assign(neighbors_.size(), 0);
  const uint64_t held = BytesHeld();
  const uint64_t working = context_.control->Limits().working_bytes;
  if (held > working || !candidates.Number(neighbors_, candidate_.data(),
                                           working - held, context_.stop)) {
    return false;
  }
  FreeMemory(neighbors_);
  candidates.DropTable();
  if (!Fits(candidates.bytes() + candidates.size() * sizeof(uint64_t))) {
    return false;
  }
  candidate_id_ = candidates.ids();
  return true;
}

void LayerwiseProgram::DrawSome() {
  if (!draw_->Draw(kDrawsOfPiece)) return Later(&LayerwiseProgram::DrawSome);
  KeepDrawn();
}

void LayerwiseProgram::KeepDrawn() {
  if (!NumberDrawn()) {
    return context_.control->ContinueOrEnd() ? EndTooLarge() : void();
  }
  const uint64_t kept = CountKept();
  edges().edges += kept;  // tells how large a batch is that is too large
  weights().shape = {static_cast<int64_t>(edges().edges)};
  const bool positions = !first_.empty();
  const StepLimits limits = context_.control->Limits();
  const uint64_t all = edges().edges * sizeof(float);
  if (kept > limits.edges || !Fits(kept * (kBytesPerKept + EdgeIdBytes() +
                                           (positions ? sizeof(uint64_t) : 0)) +
                                   size_ * (2 * sizeof(uint32_t)) + all)) {
    return EndTooLarge();
  }
  KeepEdges(kept);
  if (!context_.control->ContinueOrEnd()) return;
  EndLayer();
}

// Numbers the drawn nodes in the order of the candidates.
bool LayerwiseProgram::NumberDrawn() {
  LocalNumbering& numbering = nodes().numbering;
  const size_t wanted = plan_.nodes_per_layer[layer_];
  const size_t most = std::min(candidate_id_.size(), wanted);
  if (!Fits(candidate_id_.size() * sizeof(uint32_t) +
            most * (sizeof(uint64_t) + sizeof(uint32_t)))) {
    return false;
  }
  std::vector<uint64_t> ids;
  ids.reserve(most);
  for (size_t c = 0; c < candidate_id_.size(); ++c) {
    if (IsDrawn(c)) ids.push_back(candidate_id_[c]);
  }
  local_.assign(candidate_id_.size(), 0);
  FreeMemory(candidate_id_);
  const uint64_t held = BytesHeld() - numbering.bytes() +
                        ids.size() * (sizeof(uint64_t) + sizeof(uint32_t));
  const uint64_t working = context_.control->Limits().working_bytes;
  std::vector<uint32_t> numbers(ids.size());
  if (held > working ||
      !numbering.Number(ids, numbers.data(), working - held, context_.stop)) {
    return false;
  }
  size_t next = 0;
  for (size_t c = 0; c < local_.size(); ++c) {
    if (IsDrawn(c)) local_[c] = numbers[next++];
  }
  return true;
}

uint64_t LayerwiseProgram::CountKept() {
  return std::count_if(candidate_.begin(), candidate_.end(),
                       [this](uint32_t c) { return IsDrawn(c); });
}

void LayerwiseProgram::KeepEdges(uint64_t kept) {
  edges().per_hop[layer_] = static_cast<int64_t>(kept);
  std::vector<uint8_t>& bytes = weights().bytes;
  const size_t before = bytes.size();
  bytes.reserve(edges().edges * sizeof(float));
  bytes.resize(edges().edges * sizeof(float));
  auto* weight = reinterpret_cast<float*>(bytes.data() + before);
  SampledHop hop;
  hop.first_new = static_cast<uint32_t>(size_);
  hop.counts.assign(size_, 0);
  hop.src.reserve(kept);
  hop.edge_ids.reserve(edge_ids_.empty() ? 0 : kept);
  if (!first_.empty()) {
    hop.positions.reserve(kept);
    hop.owners.reserve(size_);
  }
  const auto& base =
      context_.graph->schema().node_types[context_.plan->input_type].base;
  const auto& ids = nodes().numbering.ids();
  std::vector<double> gain;
  size_t edge = 0;
  for (size_t v = 0; v < size_; ++v) {
    gain.clear();
    for (uint64_t i = 0; i < degree_[v]; ++i, ++edge) {
      if (ShouldStop(context_.stop, 1)) return;
      const uint32_t c = candidate_[edge];
      if (!IsDrawn(c)) continue;
      gain.push_back(GainOf(c));
      hop.src.push_back(local_[c]);
      if (!edge_ids_.empty()) hop.edge_ids.push_back(edge_ids_[edge]);
      if (!first_.empty()) hop.positions.push_back(first_[v] + i);
    }
    EdgeWeights(gain, weight);
    weight += gain.size();
    hop.counts[v] = static_cast<uint32_t>(gain.size());
    if (first_.empty()) continue;
    const auto owner = std::upper_bound(base.begin(), base.end(),
                                        static_cast<int64_t>(ids[v]));
    hop.owners.push_back(static_cast<uint32_t>(owner - base.begin() - 1));
  }
  if (kept > 0) edges().hops.push_back(std::move(hop));
}

void LayerwiseProgram::EndLayer() {
  nodes().per_hop[layer_ + 1] =
      static_cast<int64_t>(nodes().numbering.size() - size_);
  for (auto* list : {&degree_, &first_}) FreeMemory(*list);
  for (auto* list : {&candidate_, &local_}) FreeMemory(*list);
  FreeMemory(edge_ids_);
  FreeMemory(share_);
  draw_.reset();
  if (++layer_ == context_.plan->num_hops) return End(Outcome::kSampled);
  Later(&LayerwiseProgram::BeginLayer);
}

void LayerwiseProgram::Later(Step step) {
  context_.strand->Post([self = shared_from_this(), step] {
    if (self->context_.control->ContinueOrEnd()) ((*self).*step)();
  });
}

// Reports the memory that was missing, as nodes that the batch would have: each
// byte more of room gives two bytes more of working memory.
void LayerwiseProgram::EndTooLarge() {
  const GraphSchema& schema = context_.graph->schema();
  const NodeTypeSchema& type = schema.node_types[context_.plan->input_type];
  uint64_t row_bytes =
      sizeof(int64_t) + CollectedRowBytes(type, context_.plan->collect,
                                          context_.plan->feature_dtype);
  if (context_.plan->collect_degrees) row_bytes += 2 * sizeof(int64_t);
  const uint64_t room = context_.control->Limits().max_bytes + short_of_ / 2;
  const uint64_t found =
      BatchWriter(schema, *context_.plan, context_.key, *context_.state)
          .total_bytes();
  if (room > found) nodes().unnumbered = (room - found) / row_bytes;
  End(Outcome::kTooLarge);
}

void LayerwiseProgram::End(absl::StatusOr<Outcome> outcome) {
  for (auto* list : {&degree_, &first_, &neighbors_, &candidate_id_}) {
    FreeMemory(*list);
  }
  for (auto* list : {&candidate_, &local_}) FreeMemory(*list);
  FreeMemory(edge_ids_);
  FreeMemory(share_);
  draw_.reset();
  std::exchange(done_, nullptr)(std::move(outcome));
}

}  // namespace tributary
