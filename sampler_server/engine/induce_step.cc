#include "sampler_server/engine/induce_step.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "sampler_server/engine/frontier.h"
#include "sampler_server/engine/induce.pb.h"
#include "sampler_server/engine/induce_question.h"
#include "sampler_server/engine/tree_ids.h"

namespace tributary {
namespace {

// Payload and answer of a question stay below 4 MiB: what the batch's nodes may
// take of it, and with the rows that are asked about.
constexpr size_t kMostSourceBytes = size_t{3} << 20;
constexpr size_t kMostBytes = (size_t{4} << 20) - 64;
// In-edges that are looked at before others have their turn: here, there.
constexpr uint64_t kScannedAtOnce = uint64_t{1} << 20;
constexpr uint64_t kScannedPerQuestion = uint64_t{1} << 24;
constexpr size_t kRowsAtOnce = 256;  // little memory beside what is counted

template <typename T>
void Free(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

absl::Status OfPartition(const absl::Status& status, uint32_t partition) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("partition ", partition, ": ",
                                                  status.message()));
}

template <typename... Parts>
absl::Status BadAnswer(uint32_t partition, const Parts&... parts) {
  return absl::DataLossError(absl::StrCat("answer of partition ", partition,
                                          " on induced edges: ", parts...));
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

void InduceStep::AskNext(size_t g) {
  Group& group = groups_[g];
  if (context_.remote == nullptr) {
    return Finish(absl::FailedPreconditionError(
        absl::StrCat("partition ", group.partition,
                     " is not on this server, which has no peers")));
  }
  uint64_t edges = 0;
  KindQuestion question = taking_ ? MakeTake(group, &edges) : MakeCount(group);
  if (taking_ && edges == 0) return EndPassWhenAllIsThere();
  question.kind = context_.plan->kind->field();
  question.partition = group.partition;
  context_.remote->Ask(
      std::move(question), context_.LimitsFor(0), context_.strand,
      [self = shared_from_this(), g, edges](absl::StatusOr<AlignedBuffer> a) {
        if (self->done_ == nullptr || !self->context_.control->Live()) return;
        if (!a.ok()) return self->Finish(a.status());
        Group& group = self->groups_[g];
        const absl::Status status = self->taking_
                                        ? self->AcceptEdges(group, edges, *a)
                                        : self->AcceptCounts(group, *a);
        if (!status.ok()) return self->Finish(status);
        if (group.next < group.nodes.size()) return self->AskNext(g);
        self->EndPassWhenAllIsThere();
      });
}

// About no rows yet.
KindQuestion InduceStep::MakeQuestion(v1::InduceQuestion* asked) const {
  const uint64_t trees = std::max<uint32_t>(1, context_.state->trees);
  const auto sources = IdsOf(type().src_type);
  asked->set_edge_type(static_cast<uint32_t>(type().edge_type));
  asked->set_sources(sources.size());
  asked->set_source_bytes(BytesPerId(NumNodes(type().src_type) * trees));
  asked->set_row_bytes(BytesPerId(NumNodes(type().dst_type) * trees));
  KindQuestion question;
  AppendIds(sources, asked->source_bytes(), &question.payload);
  return question;
}

KindQuestion InduceStep::MakeCount(const Group& group) const {
  v1::InduceQuestion asked;
  KindQuestion question = MakeQuestion(&asked);
  const size_t most =
      (kMostBytes - question.payload.size()) / asked.row_bytes();
  const size_t n = std::min(
      {group.nodes.size() - group.next, most, kMostBytes / sizeof(uint32_t)});
  const auto ids = IdsOf(type().dst_type);
  for (size_t i = 0; i < n; ++i) {
    AppendIds(ids.subspan(group.nodes[group.next + i], 1), asked.row_bytes(),
              &question.payload);
  }
  asked.set_rows(n);
  asked.mutable_count()->set_pause(kScannedPerQuestion);
  asked.mutable_count()->set_most(context_.plan->subgraph.max_scanned_edges -
                                  scanned_);
  question.question = asked.SerializeAsString();
  question.answer_bytes = sizeof(CountAnswer) + n * sizeof(uint32_t);
  return question;
}

// Of rows that one answer counted, as many edges as fit an answer.
KindQuestion InduceStep::MakeTake(Group& group, uint64_t* edges) const {
  const size_t size = group.nodes.size();
  while (group.next < size && counts_[group.nodes[group.next]] == 0) {
    ++group.next;
  }
  if (group.next == size) return {};
  v1::InduceQuestion asked;
  KindQuestion question = MakeQuestion(&asked);
  const bool positions = !hop_.positions.empty();
  const uint64_t most_edges = kMostBytes / InducedEdgeBytes(positions);
  const size_t most_rows = (kMostBytes - question.payload.size()) /
                           (asked.row_bytes() + sizeof(uint32_t));
  const size_t end =
      *std::upper_bound(group.pauses.begin(), group.pauses.end(), group.next);
  const auto ids = IdsOf(type().dst_type);
  std::vector<uint32_t> counts;
  uint64_t skip = group.skip;
  for (size_t i = group.next;
       i < end && counts.size() < most_rows && *edges < most_edges; ++i) {
    const uint32_t node = group.nodes[i];
    if (counts_[node] == 0) continue;
    counts.push_back(static_cast<uint32_t>(
        std::min(counts_[node] - skip, most_edges - *edges)));
    *edges += counts.back();
    skip = 0;
    AppendIds(ids.subspan(node, 1), asked.row_bytes(), &question.payload);
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(counts.data());
  question.payload.insert(question.payload.end(), bytes,
                          bytes + counts.size() * sizeof(uint32_t));
  asked.set_rows(counts.size());
  asked.mutable_take()->set_skip(group.skip);
  asked.mutable_take()->set_want_positions(positions);
  question.question = asked.SerializeAsString();
  question.answer_bytes = *edges * InducedEdgeBytes(positions);
  return question;
}

absl::Status InduceStep::AcceptCounts(Group& group,
                                      const AlignedBuffer& answer) {
  CountAnswer all;
  const size_t asked = (answer.size() - sizeof(all)) / sizeof(uint32_t);
  std::memcpy(&all, answer.data(), sizeof(all));
  const uint64_t most = context_.plan->subgraph.max_scanned_edges - scanned_;
  if (all.rows > asked || (all.rows == 0 && all.scanned <= most)) {
    return BadAnswer(group.partition, all.rows, " rows of ", asked);
  }
  uint64_t edges = 0;
  for (size_t i = 0; i < all.rows; ++i) {
    uint32_t& count = counts_[group.nodes[group.next + i]];
    std::memcpy(&count, answer.data() + sizeof(all) + i * sizeof(uint32_t),
                sizeof(uint32_t));
    edges += count;
  }
  if (edges > all.scanned) {
    return BadAnswer(group.partition, edges, " edges, ", all.scanned,
                     " looked at");
  }
  group.next += all.rows;
  group.pauses.push_back(group.next);
  return AddScanned(all.scanned);
}

absl::Status InduceStep::AcceptEdges(Group& group, uint64_t edges,
                                     const AlignedBuffer& answer) {
  const uint8_t* numbers = answer.data();
  const uint8_t* edge_ids = numbers + edges * sizeof(uint32_t);
  const uint8_t* positions = edge_ids + edges * sizeof(int64_t);
  const size_t num_sources = IdsOf(type().src_type).size();
  for (uint64_t done = 0; done < edges;) {
    const uint32_t node = group.nodes[group.next];
    const uint64_t n = std::min(edges - done, counts_[node] - group.skip);
    SeekTo(group, node);
    const uint64_t to = group.at_edge + group.skip;
    if (n > 0) {
      std::memcpy(&hop_.src[to], numbers + done * sizeof(uint32_t),
                  n * sizeof(uint32_t));
      std::memcpy(&hop_.edge_ids[to], edge_ids + done * sizeof(int64_t),
                  n * sizeof(int64_t));
    }
    for (uint64_t i = to; i < to + n; ++i) {
      if (hop_.src[i] < num_sources) continue;
      return BadAnswer(group.partition, "node ", hop_.src[i], " of ",
                       num_sources);
    }
    if (n > 0 && !hop_.positions.empty()) {
      std::memcpy(&hop_.positions[to], positions + done * sizeof(uint64_t),
                  n * sizeof(uint64_t));
    }
    done += n;
    group.skip += n;
    if (group.skip < counts_[node]) break;
    group.skip = 0;
    ++group.next;
  }
  return absl::OkStatus();
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
  Free(groups_);
  Free(counts_);
  hop_ = SampledHop();
  ++type_;
  context_.strand->Post([self = shared_from_this()] { self->BeginType(); });
}

void InduceStep::Finish(absl::StatusOr<Outcome> outcome) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  sources_.reset();
  Free(groups_);
  Free(counts_);
  hop_ = SampledHop();
  done(std::move(outcome));
}

}  // namespace tributary
