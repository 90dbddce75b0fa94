#include "sampler_server/engine/hop.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/limits.h"
#include "common/status.h"
#include "sampler_server/engine/draw.h"
#include "sampler_server/engine/draw_lanes.h"

namespace tributary {
namespace {

void Prefetch(const void* line) { __builtin_prefetch(line, 0, 3); }

// The loop would wait for memory and for nothing else, so it runs in stages,
// each of which asks for the lines that a later one reads: (1) indptr of nodes
// to come, (2) plan a group of nodes: how many edges each emits, (3) draw for
// the group, a SIMD lane each, (4) turn what was drawn into slots, places among
// the partition's edges, (5) read neighbours and edge ids, a chunk of edges
// behind (4). What (3) draws depends on degrees alone.
template <typename Id, typename EdgeId>
class HopKernel {
 public:
  HopKernel(const EdgePartition& edges, absl::Span<const Id> indices,
            absl::Span<const EdgeId> edge_id, uint64_t num_src_nodes,
            const HopQuery& query, HopEdges* out)
      : indptr_(edges.indptr),
        indices_(indices),
        edge_id_(edge_id),
        num_src_nodes_(num_src_nodes),
        query_(query),
        draw_lanes_(DrawLanesPaths().back().draw),
        out_(out) {}

  absl::Status Run() {
    Reserve();
    while (next_ < query_.rows.size() && !full_) {
      RETURN_IF_ERROR(PlanGroup());
      if (lanes_ > 0) {
        draw_lanes_(query_.key, static_cast<uint32_t>(query_.fanout),
                    query_.replace, draws_);
      }
      for (size_t i = 0; i < planned_; ++i) Emit(plan_[i]);
    }
    Rotate();
    Rotate();
    if (!bad_neighbor_) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("indices hold a neighbour beyond the ", num_src_nodes_,
                     " nodes of the source type: verify the graph"));
  }

 private:
  static constexpr size_t kIndptrAhead = 32;
  // Nodes of a group; those that emit without a draw need no lane.
  static constexpr size_t kGroup = 2 * kDrawLanes;
  // Edges between stages (4) and (5): two caches' lines each.
  static constexpr size_t kChunk = 128;
  static_assert(kMostLaneDraws <= kChunk);

  struct Chunk {
    size_t size = 0;
    std::array<uint64_t, kChunk> slot;
  };
  enum class Way { kRange, kLane, kAlone };
  struct NodePlan {
    Way way;
    uint32_t take;    // edges that it emits
    uint32_t skip;    // drawn positions before them; kRange: none
    uint32_t lane;    // kLane
    uint32_t number;  // kAlone: its local number
    uint64_t begin;   // slot of its position 0; kRange: of the first taken
    uint64_t degree;
  };

  void Reserve() {
    const uint64_t n = query_.rows.size();
    const bool bounded = !query_.exact_memory && query_.fanout >= 0;
    const uint64_t edges = std::min(
        query_.max_edges,
        bounded ? n * static_cast<uint64_t>(query_.fanout) : CountEdges());
    out_->counts.reserve(n);
    out_->neighbors.reserve(edges);
    out_->edge_ids.reserve(edges);
    if (query_.want_positions) out_->positions.reserve(edges);
  }

  // At least as many as max_edges where there are more. Rows that cannot be
  // answered are left to PlanNode.
  uint64_t CountEdges() {
    const size_t n = query_.rows.size();
    uint64_t edges = 0;
    for (size_t i = 0; i < n && edges < query_.max_edges; ++i) {
      if (i + kIndptrAhead < n) PrefetchIndptr(query_.rows[i + kIndptrAhead]);
      const uint64_t row = query_.rows[i];
      if (indptr_.size() < 2 || row > indptr_.size() - 2) break;
      const uint64_t begin = indptr_[row], end = indptr_[row + 1];
      if (begin > end || end > indices_.size()) break;
      const uint64_t drawn =
          NumDrawn(end - begin, query_.fanout, query_.replace);
      edges += drawn - (i == 0 ? std::min(drawn, query_.skip_edges) : 0);
    }
    return edges;
  }

  absl::Status PlanGroup() {
    planned_ = 0;
    lanes_ = 0;
    const size_t n = query_.rows.size();
    while (next_ < n && planned_ < kGroup && lanes_ < kDrawLanes && !full_) {
      if (next_ + kIndptrAhead < n) {
        PrefetchIndptr(query_.rows[next_ + kIndptrAhead]);
      }
      RETURN_IF_ERROR(PlanNode(next_++));
    }
    return absl::OkStatus();
  }

  // Both ends of a row: they straddle two lines once in eight times.
  void PrefetchIndptr(uint64_t row) {
    if (row + 1 >= indptr_.size()) return;
    Prefetch(indptr_.data() + row);
    Prefetch(indptr_.data() + row + 1);
  }

  absl::Status PlanNode(size_t i) {
    const uint64_t row = query_.rows[i];
    if (indptr_.size() < 2 || row > indptr_.size() - 2) return RowBeyond(row);
    const uint64_t* ends = indptr_.data() + row;
    const uint64_t begin = ends[0], end = ends[1];
    if (begin > end || end > indices_.size()) return BadIndptr(row, begin, end);
    const uint64_t degree = end - begin;
    const uint64_t drawn = NumDrawn(degree, query_.fanout, query_.replace);
    const uint64_t skip = i == 0 ? query_.skip_edges : 0;
    if (skip > drawn) return BadSkip(skip, drawn);
    const uint64_t take = std::min(
        {drawn - skip, query_.max_edges - emitted_, uint64_t{UINT32_MAX}});
    full_ = take < drawn - skip;
    if (full_ && take == 0) return absl::OkStatus();
    out_->counts.push_back(static_cast<uint32_t>(take));
    out_->last_is_partial = full_;
    emitted_ += take;
    if (take == 0) return absl::OkStatus();
    NodePlan& plan = plan_[planned_++];
    plan.take = static_cast<uint32_t>(take);
    if (TakesAll(degree, query_.fanout, query_.replace)) {
      plan.way = Way::kRange;
      plan.begin = begin + skip;
      return absl::OkStatus();
    }
    plan.skip = static_cast<uint32_t>(skip);  // at most the fanout
    plan.begin = begin;
    PlanDraw(plan, query_.local_numbers[i], degree);
    return absl::OkStatus();
  }

  void PlanDraw(NodePlan& plan, uint32_t local_number, uint64_t degree) {
    if (degree > kWideThreshold ||
        query_.fanout > static_cast<int32_t>(kMostLaneDraws)) {
      plan.way = Way::kAlone;
      plan.number = local_number;
      plan.degree = degree;
      return;
    }
    plan.way = Way::kLane;
    plan.lane = lanes_++;
    draws_.degree[plan.lane] = static_cast<uint32_t>(degree);
    draws_.local_number[plan.lane] = local_number;
  }

  void Emit(const NodePlan& plan) {
    switch (plan.way) {
      case Way::kRange:
        return EmitRange(plan);
      case Way::kLane:
        return EmitLane(plan);
      case Way::kAlone:
        return EmitAlone(plan);
    }
  }

  void EmitRange(const NodePlan& plan) {
    for (uint32_t done = 0; done < plan.take;) {
      const uint32_t n = std::min<uint32_t>(plan.take - done, kChunk);
      uint64_t* slot = Append(n);
      for (uint32_t j = 0; j < n; ++j) {
        slot[j] = plan.begin + done + j;
        if (j % 8 == 0) PrefetchEdge(slot[j]);  // a line holds at least 8
      }
      PrefetchEdge(slot[n - 1]);
      done += n;
    }
  }

  void EmitLane(const NodePlan& plan) {
    const uint32_t* position =
        draws_.position + size_t{plan.skip} * kDrawLanes + plan.lane;
    uint64_t* slot = Append(plan.take);
    for (uint32_t j = 0; j < plan.take; ++j) {
      slot[j] = plan.begin + position[j * kDrawLanes];
      PrefetchEdge(slot[j]);
    }
  }

  void EmitAlone(const NodePlan& plan) {
    const auto k = static_cast<uint32_t>(query_.fanout);
    auto positions =
        query_.replace
            ? drawer_.WithReplacement(query_.key, plan.number, plan.degree, k)
            : drawer_.WithoutReplacement(query_.key, plan.number, plan.degree,
                                         k);
    positions = positions.subspan(plan.skip, plan.take);
    while (!positions.empty()) {
      const size_t n = std::min(positions.size(), kChunk);
      uint64_t* slot = Append(n);
      for (size_t j = 0; j < n; ++j) {
        slot[j] = plan.begin + positions[j];
        PrefetchEdge(slot[j]);
      }
      positions.remove_prefix(n);
    }
  }

  void PrefetchEdge(uint64_t slot) {
    Prefetch(indices_.data() + slot);
    Prefetch(edge_id_.data() + slot);
  }

  // Room for the slots of `n` <= kChunk edges.
  uint64_t* Append(size_t n) {
    if (current_->size + n > kChunk) Rotate();
    uint64_t* slot = current_->slot.data() + current_->size;
    current_->size += n;
    return slot;
  }

  // Reads the chunk drawn before the current one, whose lines have come.
  void Rotate() {
    std::swap(current_, before_);
    const size_t n = current_->size;
    std::array<uint64_t, kChunk> neighbor;
    std::array<int64_t, kChunk> edge;
    bool bad = false;
    for (size_t j = 0; j < n; ++j) {
      neighbor[j] = indices_.data()[current_->slot[j]];
      edge[j] = static_cast<int64_t>(edge_id_.data()[current_->slot[j]]);
      bad |= neighbor[j] >= num_src_nodes_;
    }
    bad_neighbor_ |= bad;
    out_->neighbors.insert(out_->neighbors.end(), neighbor.begin(),
                           neighbor.begin() + n);
    out_->edge_ids.insert(out_->edge_ids.end(), edge.begin(), edge.begin() + n);
    if (query_.want_positions) {
      out_->positions.insert(out_->positions.end(), current_->slot.begin(),
                             current_->slot.begin() + n);
    }
    current_->size = 0;
  }

  absl::Status RowBeyond(uint64_t row) const {
    const size_t rows = indptr_.empty() ? 0 : indptr_.size() - 1;
    return absl::OutOfRangeError(
        absl::StrCat("row ", row, " of a partition with ", rows, " rows"));
  }
  absl::Status BadIndptr(uint64_t row, uint64_t begin, uint64_t end) const {
    return absl::DataLossError(
        absl::StrCat("indptr of row ", row, " spans [", begin, ", ", end,
                     ") of ", indices_.size(), " edges: verify the graph"));
  }
  static absl::Status BadSkip(uint64_t skip, uint64_t drawn) {
    return absl::OutOfRangeError(absl::StrCat(
        "skip_edges ", skip, " of a node that emits ", drawn, " edges"));
  }

  const absl::Span<const uint64_t> indptr_;
  const absl::Span<const Id> indices_;
  const absl::Span<const EdgeId> edge_id_;
  const uint64_t num_src_nodes_;
  const HopQuery& query_;
  const DrawLanesFunction draw_lanes_;
  HopEdges* const out_;

  size_t next_ = 0;  // node to plan
  std::array<NodePlan, kGroup> plan_;
  size_t planned_ = 0;
  LaneDraws draws_;
  uint32_t lanes_ = 0;  // in use
  PositionDrawer drawer_;
  Chunk chunks_[2];
  Chunk* current_ = &chunks_[0];
  Chunk* before_ = &chunks_[1];
  uint64_t emitted_ = 0;
  bool full_ = false;
  bool bad_neighbor_ = false;
};

template <typename Id>
absl::Status RunFor(const EdgePartition& edges, absl::Span<const Id> indices,
                    uint64_t num_src_nodes, const HopQuery& query,
                    HopEdges* out) {
  if (edges.edge_id.wide()) {
    return HopKernel<Id, uint64_t>(edges, indices, edges.edge_id.wide_span(),
                                   num_src_nodes, query, out)
        .Run();
  }
  return HopKernel<Id, uint32_t>(edges, indices, edges.edge_id.narrow_span(),
                                 num_src_nodes, query, out)
      .Run();
}

absl::Status CheckIsBuilt(const HopQuery& query) {
  const char* field = nullptr;
  if (query.draw != Draw::kUniform) field = "draw";
  if (query.time != TimeColumn::kNone) field = "time";
  if (!query.trees.empty()) field = "trees";
  if (field == nullptr) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("HopQuery::", field, " is not built yet"));
}

absl::Status CheckQuery(const EdgePartition& edges, const HopQuery& query) {
  RETURN_IF_ERROR(CheckIsBuilt(query));
  if (query.fanout < -1 || query.fanout > kMaxFanout) {
    return absl::InvalidArgumentError(absl::StrCat(
        "fanout ", query.fanout, "; allowed: -1 (all) to ", kMaxFanout));
  }
  if (query.local_numbers.size() != query.rows.size()) {
    return absl::InvalidArgumentError(absl::StrCat(query.local_numbers.size(),
                                                   " local numbers for ",
                                                   query.rows.size(), " rows"));
  }
  if (edges.edge_id.size() != edges.indices.size()) {
    return absl::DataLossError(absl::StrCat(edges.edge_id.size(),
                                            " edge ids for ",
                                            edges.indices.size(), " edges"));
  }
  return absl::OkStatus();
}

}  // namespace

void HopEdges::Clear() {
  counts.clear();
  neighbors.clear();
  edge_ids.clear();
  positions.clear();
  last_is_partial = false;
}

void HopEdges::ShrinkToFit() {
  counts.shrink_to_fit();
  neighbors.shrink_to_fit();
  edge_ids.shrink_to_fit();
  positions.shrink_to_fit();
}

absl::Status SampleHop(const EdgePartition& edges, uint64_t num_src_nodes,
                       const HopQuery& query, HopEdges* out) {
  out->Clear();
  RETURN_IF_ERROR(CheckQuery(edges, query));
  if (edges.indices.wide()) {
    return RunFor(edges, edges.indices.wide_span(), num_src_nodes, query, out);
  }
  return RunFor(edges, edges.indices.narrow_span(), num_src_nodes, query, out);
}

}  // namespace tributary
