#include "sampler_server/engine/steps/induce_step.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/ids/frontier.h"
#include "sampler_server/engine/ids/tree_ids.h"
#include "sampler_server/engine/questions/induce_question.h"

namespace tributary {
namespace {

// What the batch's nodes may take of a question, whose payload is below 4 MiB.
constexpr size_t kMostSourceBytes = size_t{3} << 20;
// In-edges that are looked at before others have their turn.
constexpr uint64_t kScannedAtOnce = uint64_t{1} << 20;
constexpr size_t kRowsAtOnce = 256;  // little memory beside what is counted

absl::Status OfPartition(const absl::Status& status, uint32_t partition) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("partition ", partition, ": ",
                                                  status.message()));
}

}  // namespace

InduceStep::InduceStep(StepContext context, const StepLimits& limits)
    : context_(std::move(context)), working_bytes_(limits.working_bytes) {}

absl::Span<const uint64_t> InduceStep::IdsOf(int node_type) const {
  return context_.state->nodes[node_type].numbering.ids();
}

// Ids of a type are below this.
uint64_t InduceStep::NumNodes(int node_type) const {
  return static_cast<uint64_t>(
      context_.graph->schema().node_types[node_type].num_nodes);
}

uint64_t InduceStep::BytesHeld() const {
  uint64_t sum = context_.state->bytes() + hop_.bytes() +
                 counts_.capacity() * sizeof(uint32_t);
  if (sources_.has_value()) {
    sum += NodeSet::BytesFor(IdsOf(type().src_type).size());
  }
  for (const Group& group : groups_) {
    sum += group.nodes.capacity() * sizeof(uint32_t) +
           group.pauses.capacity() * sizeof(size_t);
  }
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
  if (!context_.control->Live()) return;
  if (type_ == context_.plan->edge_types.size()) {
    return Finish(too_large_ ? Outcome::kTooLarge : Outcome::kSampled);
  }
  const absl::Status status = CheckSources();
  if (!status.ok()) return Finish(status);
  const uint64_t nodes = IdsOf(type().dst_type).size();
  if (BytesHeld() + NodeSet::BytesFor(IdsOf(type().src_type).size()) +
          2 * nodes * sizeof(uint32_t) >
      working_bytes_) {
    return Finish(Outcome::kTooLarge);
  }
  sources_.emplace(IdsOf(type().src_type));
  counts_.assign(nodes, 0);
  MakeGroups();
  taking_ = false;
  BeginPass();
}

// Whatever the partitions are, so that a batch is refused everywhere or
// nowhere.
absl::Status InduceStep::CheckSources() const {
  const uint64_t trees = std::max<uint32_t>(1, context_.state->trees);
  const size_t id_bytes = BytesPerId(NumNodes(type().src_type) * trees);
  const size_t nodes = IdsOf(type().src_type).size();
  if (nodes <= kMostSourceBytes / id_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      nodes, " nodes of type ",
      context_.graph->schema().node_types[type().src_type].name,
      " in a batch whose subgraph_type is induced; allowed: ",
      kMostSourceBytes / id_bytes, "; lower num_neighbors or batch_size"));
}

void InduceStep::MakeGroups() {
  groups_.clear();
  const NodeTypeSchema& dst =
      context_.graph->schema().node_types[type().dst_type];
  const auto ids = IdsOf(type().dst_type);
  std::vector<size_t> group_of(dst.base.size(), SIZE_MAX);
  const auto part = [&](size_t from) {
    const auto some =
        ids.subspan(from, std::min(kRowsAtOnce, ids.size() - from));
    return context_.state->trees == 0 ? GroupByPartition(dst, some)
                                      : GroupTreesByPartition(dst, some);
  };
  std::vector<size_t> sizes(dst.base.size(), 0);
  for (size_t from = 0; from < ids.size(); from += kRowsAtOnce) {
    for (const PartitionNodes& of : part(from).groups) {
      sizes[of.partition] += of.index.size();
    }
  }
  for (size_t from = 0; from < ids.size(); from += kRowsAtOnce) {
    for (const PartitionNodes& of : part(from).groups) {
      if (group_of[of.partition] == SIZE_MAX) {
        group_of[of.partition] = groups_.size();
        Group& group = groups_.emplace_back();
        group.partition = of.partition;
        group.here =
            context_.graph->edges(type().edge_type, of.partition) != nullptr;
        group.nodes.reserve(sizes[of.partition]);
      }
      Group& group = groups_[group_of[of.partition]];
      for (const uint32_t index : of.index) {
        group.nodes.push_back(static_cast<uint32_t>(from) + index);
      }
    }
  }
}

// Peers first: they work while what is here is looked at.
void InduceStep::BeginPass() {
  const auto self = shared_from_this();
  busy_ = groups_.size() + 1;
  for (size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].next = 0;
    if (!groups_[g].here) AskNext(g);
    if (done_ == nullptr) return;
  }
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].here) continue;
    context_.strand->Post([self, g] { self->NextSlice(g); });
  }
  EndPassWhenAllIsThere();
}

// A group's part of a pass has ended.
void InduceStep::EndPassWhenAllIsThere() {
  if (--busy_ > 0) {
    bool here = false;
    for (const Group& group : groups_) {
      here |= group.here && group.next < group.nodes.size();
    }
    if (!here) context_.control->SetStage(BatchStage::kWaitingForPeer);
    return;
  }
  context_.control->SetStage(BatchStage::kSampling);
  context_.strand->Post([self = shared_from_this()] {
    if (!self->context_.control->Live()) return;
    self->taking_ ? self->OnTaken() : self->OnCounted();
  });
}

void InduceStep::NextSlice(size_t g) {
  if (done_ == nullptr || !context_.control->Live()) return;
  Group& group = groups_[g];
  const absl::Status status = taking_ ? TakeSlice(group) : CountSlice(group);
  if (!status.ok()) return Finish(OfPartition(status, group.partition));
  if (group.next == group.nodes.size()) return EndPassWhenAllIsThere();
  context_.strand->Post([self = shared_from_this(), g] { self->NextSlice(g); });
}

InducedRow InduceStep::RowOf(const Group& group, uint32_t node) const {
  const GraphSchema& schema = context_.graph->schema();
  const auto base = static_cast<uint64_t>(
      schema.node_types[type().dst_type].base[group.partition]);
  const uint64_t id = IdsOf(type().dst_type)[node];
  if (context_.state->trees == 0) return {id - base};
  const TreeIds ids(NumNodes(type().dst_type));
  return {ids.Node(id) - base,
          TreeIds(NumNodes(type().src_type)).Id(ids.Tree(id), 0)};
}

absl::Status InduceStep::AddScanned(uint64_t edges) {
  const uint64_t most = context_.plan->subgraph.max_scanned_edges;
  scanned_ += edges;
  if (scanned_ <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the nodes of the batch have more than max_scanned_edges, ", most,
      ", in-edges to look at for its induced subgraph; raise it, or lower "
      "num_neighbors or batch_size"));
}

absl::Status InduceStep::CountSlice(Group& group) {
  const InducedSource source{
      *context_.graph->edges(type().edge_type, group.partition),
      NumNodes(type().src_type), *sources_};
  const size_t n = std::min(kRowsAtOnce, group.nodes.size() - group.next);
  std::vector<InducedRow> rows;
  rows.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    rows.push_back(RowOf(group, group.nodes[group.next + i]));
  }
  std::vector<uint32_t> counts(n);
  Scanned done;
  const uint64_t most = context_.plan->subgraph.max_scanned_edges;
  RETURN_IF_ERROR(CountInduced(source, rows, {kScannedAtOnce, most - scanned_},
                               counts.data(), &done));
  for (size_t i = 0; i < done.rows; ++i) {
    counts_[group.nodes[group.next + i]] = counts[i];
  }
  group.next += done.rows;
  return AddScanned(done.edges);
}

// Brings at_edge to the edges before the node's; nodes only ascend.
void InduceStep::SeekTo(Group& group, uint32_t node) const {
  while (group.at_node < node) group.at_edge += counts_[group.at_node++];
}

absl::Status InduceStep::TakeSlice(Group& group) {
  const EdgePartition& edges =
      *context_.graph->edges(type().edge_type, group.partition);
  const InducedSource source{edges, NumNodes(type().src_type), *sources_};
  std::vector<InducedRow> rows;
  uint64_t scanned = 0;
  while (group.next < group.nodes.size() && rows.size() < kRowsAtOnce &&
         scanned < kScannedAtOnce) {
    const uint32_t node = group.nodes[group.next++];
    if (counts_[node] == 0) continue;
    SeekTo(group, node);
    InducedRow& row = rows.emplace_back(RowOf(group, node));
    row.count = counts_[node];
    row.to = group.at_edge;
    scanned += edges.indptr[row.row + 1] - edges.indptr[row.row];
  }
  return TakeInduced(
      source, rows, 0,
      {hop_.src.data(), hop_.edge_ids.data(),
       hop_.positions.empty() ? nullptr : hop_.positions.data()});
}

void InduceStep::OnCounted() {
  const uint64_t edges =
      std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
  context_.state->edges[type_].edges = edges;
  const bool positions =
      NeedsPositions(context_.graph->schema(), *context_.plan, type());
  // Numbers, ids, positions; owners.
  const uint64_t bytes = edges * InducedEdgeBytes(positions) +
                         (positions ? counts_.size() * sizeof(uint32_t) : 0);
  if (too_large_ || BytesHeld() + bytes > working_bytes_) {
    CountOnly();
    return EndType();
  }
  hop_.src.resize(edges);
  hop_.edge_ids.resize(edges);
  if (positions) hop_.positions.resize(edges);
  taking_ = true;
  BeginPass();
}

// What is there goes: the batch will not be made of it.
void InduceStep::CountOnly() {
  too_large_ = true;
  for (EdgeTypeState& type : context_.state->edges) type.hops.clear();
}

void InduceStep::OnTaken() {
  if (!hop_.positions.empty()) {
    hop_.owners.resize(counts_.size());
    for (const Group& group : groups_) {
      for (const uint32_t node : group.nodes) {
        hop_.owners[node] = group.partition;
      }
    }
  }
  if (!hop_.src.empty()) {
    hop_.counts = std::move(counts_);
    context_.state->edges[type_].hops.push_back(std::move(hop_));
  }
  EndType();
}

void InduceStep::EndType() {
  sources_.reset();
  LetGo(groups_);
  LetGo(counts_);
  hop_ = SampledHop();
  ++type_;
  context_.strand->Post([self = shared_from_this()] { self->BeginType(); });
}

void InduceStep::Finish(absl::StatusOr<Outcome> outcome) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  sources_.reset();
  LetGo(groups_);
  LetGo(counts_);
  hop_ = SampledHop();
  done(std::move(outcome));
}

}  // namespace tributary
