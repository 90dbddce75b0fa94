// The loop of every kind of draw; a planner decides what a node emits.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_KERNEL_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_KERNEL_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/prefetch.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/format/row_ends.h"
#include "sampler_server/engine/draw/draw.h"
#include "sampler_server/engine/hop/edge_reader.h"
#include "sampler_server/engine/hop/hop.h"

namespace tributary {

// A query and the arrays that it draws from. The references outlive the hop.
struct HopSource {
  const EdgePartition& edges;
  uint64_t num_src_nodes;
  const HopQuery& query;

  NodeCounter counter(size_t index) const {
    return {query.local_numbers[index],
            query.trees.empty() ? 0 : query.trees[index]};
  }
};

// A node that edges are drawn for.
struct HopNode {
  // How a planner serves the node; each planner gives the values their meaning.
  enum class Way : uint8_t { kRange, kLane, kAlone };

  size_t index = 0;    // in the query
  uint64_t begin = 0;  // of its row, among the partition's edges
  uint64_t degree = 0;
  uint64_t drawn = 0;  // edges that the node emits unless it is cut
  uint64_t skip = 0;   // the first of them, emitted by an earlier call
  uint32_t take = 0;   // those after them, emitted by this call
  uint32_t lane = 0;
  Way way = Way::kRange;
  bool excludes = false;  // some of its edges may not be drawn
};

// Runs a hop. The loop is bound by cache misses, so it works in stages over a
// group of nodes, and each stage prefetches the lines that a later one reads:
// rows ahead; the number of edges of each node; the draws; their places among
// the partition's edges; and, one chunk behind, neighbours and edge ids.
//
// A planner has
//   kGroup                   the most nodes of a group
//   kReadsRows               whether PrefetchRow is to be called
//   PrefetchRow(begin, end)  prefetches a row ahead
//   kEmitsNone               whether Emit is also called if `take` is 0
//   Work(node)               the edges that are looked at for a node
//   Begin(), HasRoom()       begins a group; whether it takes another node
//   Add(node)                adds a node, whose begin and degree are set
//   Count(nodes)             sets `drawn`, unless Add did
//   Draw(nodes)              draws for nodes, of which `take` may be 0
//   Emit(node, reader)       adds the edges [skip, skip + take) of a node
//   Finish()                 returns DATA_LOSS if stored values were damaged
template <typename Planner, typename Id, typename EdgeId>
class HopKernel {
 public:
  HopKernel(const HopSource& source, absl::Span<const Id> indices,
            absl::Span<const EdgeId> edge_id, HopEdges* out)
      : source_(source),
        query_(source.query),
        indptr_(source.edges.indptr),
        num_edges_(indices.size()),
        planner_(source),
        reader_(indices, edge_id, source.num_src_nodes, source.query, out),
        out_(out) {}

  absl::Status Run() {
    RETURN_IF_ERROR(Reserve());
    next_ = 0;
    work_ = 0;
    while (next_ < query_.rows.size() && !full_ && work_ < query_.max_work) {
      RETURN_IF_ERROR(FindGroup());
      RETURN_IF_ERROR(CutGroup());
      planner_.Draw(group());
      for (const HopNode& node : group()) {
        if (Planner::kEmitsNone || node.take > 0) planner_.Emit(node, reader_);
      }
      if (ShouldStop(query_.stop, size_ * kWorkOfNode)) {
        return query_.stop->why();
      }
    }
    const bool good = reader_.Finish();
    RETURN_IF_ERROR(planner_.Finish());
    if (good) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        "indices hold a neighbour beyond the ", source_.num_src_nodes,
        " nodes of the source type: verify the graph"));
  }

 private:
  static constexpr size_t kIndptrAhead = 32;
  static constexpr size_t kRowsAhead = 16;    // whose indptr has arrived
  static constexpr uint64_t kWorkOfNode = 4;  // beside its edges

  absl::Span<HopNode> group() { return {group_.data(), size_}; }

  absl::Status Reserve() {
    const uint64_t n = query_.rows.size();
    const bool bounded = !query_.exact_memory && query_.fanout >= 0;
    uint64_t edges = n * static_cast<uint64_t>(query_.fanout);
    if (!bounded) RETURN_IF_ERROR(CountEdges(&edges));
    edges = std::min(edges, query_.max_edges);
    out_->counts.reserve(n);
    out_->neighbors.reserve(edges);
    if (query_.want_edge_ids) out_->edge_ids.reserve(edges);
    if (query_.want_positions) out_->positions.reserve(edges);
    return absl::OkStatus();
  }

  // Counts the edges, and may stop once it has found max_edges.
  absl::Status CountEdges(uint64_t* edges) {
    *edges = 0;
    next_ = 0;
    work_ = 0;
    while (next_ < query_.rows.size() && *edges < query_.max_edges &&
           work_ < query_.max_work) {
      RETURN_IF_ERROR(FindGroup());
      if (ShouldStop(query_.stop, size_ * kWorkOfNode)) {
        return query_.stop->why();
      }
      for (const HopNode& node : group()) {
        *edges += node.drawn - std::min(node.drawn, SkipOf(node));
      }
    }
    return absl::OkStatus();
  }

  uint64_t SkipOf(const HopNode& node) const {
    return node.index == 0 ? query_.skip_edges : 0;
  }

  absl::Status FindGroup() {
    planner_.Begin();
    const size_t n = query_.rows.size();
    for (size_ = 0; next_ < n && size_ < Planner::kGroup && planner_.HasRoom();
         ++next_) {
      PrefetchRows();
      HopNode& node = group_[size_++];
      RETURN_IF_ERROR(FindRow(node));
      planner_.Add(node);
    }
    planner_.Count(group());
    if (query_.max_work == UINT64_MAX) return absl::OkStatus();
    for (const HopNode& node : group()) work_ += planner_.Work(node);
    return absl::OkStatus();
  }

  // Prefetches both ends of a row: one in eight rows straddles two lines.
  void PrefetchRows() {
    const size_t n = query_.rows.size();
    if (next_ + kIndptrAhead < n) {
      const uint64_t row = query_.rows[next_ + kIndptrAhead];
      if (row + 1 < indptr_.size()) {
        Prefetch(indptr_.data() + row);
        Prefetch(indptr_.data() + row + 1);
      }
    }
    if (Planner::kReadsRows && next_ + kRowsAhead < n) {
      const uint64_t row = query_.rows[next_ + kRowsAhead];
      if (row + 1 < indptr_.size()) {
        planner_.PrefetchRow(indptr_[row], indptr_[row + 1]);
      }
    }
  }

  absl::Status FindRow(HopNode& node) const {
    const uint64_t row = query_.rows[next_];
    if (indptr_.size() < 2 || row > indptr_.size() - 2) return RowBeyond(row);
    const RowEnds ends = ReadRowEnds(indptr_, row);
    if (!ends.IsWithin(num_edges_)) return BadIndptr(row);
    node.index = next_;
    node.begin = ends.begin;
    node.degree = ends.end - ends.begin;
    return absl::OkStatus();
  }

  // Applies skip_edges and max_edges to the group.
  absl::Status CutGroup() {
    if (TakeWholeGroup()) return absl::OkStatus();
    for (size_t i = 0; i < size_; ++i) {
      HopNode& node = group_[i];
      node.skip = SkipOf(node);
      if (node.skip > node.drawn) return BadSkip(node);
      const uint64_t left = node.drawn - node.skip;
      const uint64_t take =
          std::min({left, query_.max_edges - emitted_, uint64_t{UINT32_MAX}});
      full_ = take < left;
      if (full_ && take == 0) {
        size_ = i;
        break;
      }
      node.take = static_cast<uint32_t>(take);
      out_->counts.push_back(node.take);
      out_->last_is_partial = full_;
      emitted_ += take;
      if (full_) {
        size_ = i + 1;
        break;
      }
    }
    return absl::OkStatus();
  }

  // Returns false if a part of the group is cut.
  bool TakeWholeGroup() {
    uint64_t sum = 0, largest = 0;
    for (const HopNode& node : group()) {
      sum += node.drawn;
      largest = std::max(largest, node.drawn);
    }
    if (largest > UINT32_MAX || sum > query_.max_edges - emitted_ ||
        (query_.skip_edges > 0 && group_[0].index == 0)) {
      return false;
    }
    const size_t before = out_->counts.size();
    out_->counts.resize(before + size_);
    for (size_t i = 0; i < size_; ++i) {
      group_[i].skip = 0;
      group_[i].take = static_cast<uint32_t>(group_[i].drawn);
      out_->counts[before + i] = group_[i].take;
    }
    emitted_ += sum;
    return true;
  }

  absl::Status RowBeyond(uint64_t row) const {
    const size_t rows = indptr_.empty() ? 0 : indptr_.size() - 1;
    return absl::OutOfRangeError(
        absl::StrCat("row ", row, " of a partition with ", rows, " rows"));
  }
  absl::Status BadIndptr(uint64_t row) const {
    return absl::DataLossError(absl::StrCat(
        "indptr of row ", row, " spans [", indptr_[row], ", ", indptr_[row + 1],
        ") of ", num_edges_, " edges: verify the graph"));
  }
  static absl::Status BadSkip(const HopNode& node) {
    return absl::OutOfRangeError(absl::StrCat("skip_edges ", node.skip,
                                              " of a node that emits ",
                                              node.drawn, " edges"));
  }

  const HopSource& source_;
  const HopQuery& query_;
  const absl::Span<const uint64_t> indptr_;
  const uint64_t num_edges_;
  Planner planner_;
  EdgeReader<Id, EdgeId> reader_;
  HopEdges* const out_;

  size_t next_ = 0;  // the next node to add to a group
  std::array<HopNode, Planner::kGroup> group_;
  size_t size_ = 0;
  uint64_t emitted_ = 0;
  uint64_t work_ = 0;  // counted if max_work limits it
  bool full_ = false;
};

// Runs the hop for the widths that ids are stored in.
template <typename Planner>
absl::Status RunHop(const HopSource& source, HopEdges* out) {
  const IdArray& from = source.edges.indices;
  const IdArray& id = source.edges.edge_id;
  const auto run = [&](auto indices, auto edge_id) {
    using Id = typename decltype(indices)::value_type;
    using EdgeId = typename decltype(edge_id)::value_type;
    return HopKernel<Planner, Id, EdgeId>(source, indices, edge_id, out).Run();
  };
  if (from.wide() && id.wide()) return run(from.wide_span(), id.wide_span());
  if (from.wide()) return run(from.wide_span(), id.narrow_span());
  if (id.wide()) return run(from.narrow_span(), id.wide_span());
  return run(from.narrow_span(), id.narrow_span());
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_KERNEL_H_
