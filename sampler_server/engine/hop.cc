#include "sampler_server/engine/hop.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/limits.h"
#include "common/status.h"
#include "sampler_server/engine/draw.h"

namespace tributary {
namespace {

void Prefetch(const void* line) { __builtin_prefetch(line, 0, 3); }

// The loop waits for memory and for nothing else, so it runs in three stages,
// each of which asks for the lines that the next one reads: (1) indptr of a
// node to come, (2) draw a node's positions, (3) read neighbours and edge ids,
// a chunk of edges behind (2). What (2) draws depends on degrees alone.
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
        out_(out) {}

  absl::Status Run() {
    const size_t n = query_.rows.size();
    out_->counts.reserve(n);
    for (size_t i = 0; i < n && !full_; ++i) {
      if (i + kIndptrAhead < n) PrefetchIndptr(query_.rows[i + kIndptrAhead]);
      RETURN_IF_ERROR(DrawNode(i));
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
  // Edges between the second stage and the third: two caches' lines each.
  static constexpr size_t kChunk = 128;

  struct Chunk {
    size_t size = 0;
    std::array<uint64_t, kChunk> slot;  // positions in the partition's edges
  };

  // Both ends of a row: they straddle two lines once in eight times.
  void PrefetchIndptr(uint64_t row) {
    if (row + 1 >= indptr_.size()) return;
    Prefetch(indptr_.data() + row);
    Prefetch(indptr_.data() + row + 1);
  }

  absl::Status DrawNode(size_t i) {
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
    if (TakesAll(degree, query_.fanout, query_.replace)) {
      AppendRange(begin + skip, take);
    } else {
      AppendDrawn(begin, Draw(i, degree).subspan(skip, take));
    }
    return absl::OkStatus();
  }

  absl::Span<const uint64_t> Draw(size_t i, uint64_t degree) {
    const auto k = static_cast<uint32_t>(query_.fanout);
    const uint32_t number = query_.local_numbers[i];
    return query_.replace
               ? drawer_.WithReplacement(query_.key, number, degree, k)
               : drawer_.WithoutReplacement(query_.key, number, degree, k);
  }

  void AppendDrawn(uint64_t begin, absl::Span<const uint64_t> positions) {
    const Id* indices = indices_.data() + begin;
    const EdgeId* edge_id = edge_id_.data() + begin;
    while (!positions.empty()) {
      if (current_->size == kChunk) Rotate();
      const size_t n = std::min(positions.size(), kChunk - current_->size);
      uint64_t* slot = current_->slot.data() + current_->size;
      for (size_t j = 0; j < n; ++j) {
        slot[j] = begin + positions.data()[j];
        Prefetch(indices + positions.data()[j]);
        Prefetch(edge_id + positions.data()[j]);
      }
      current_->size += n;
      positions.remove_prefix(n);
    }
  }

  void AppendRange(uint64_t begin, uint64_t count) {
    while (count > 0) {
      if (current_->size == kChunk) Rotate();
      const size_t n = std::min<uint64_t>(count, kChunk - current_->size);
      uint64_t* slot = current_->slot.data() + current_->size;
      for (size_t j = 0; j < n; ++j) {
        slot[j] = begin + j;
        if (j % 8 != 0) continue;  // a line holds at least 8
        Prefetch(indices_.data() + slot[j]);
        Prefetch(edge_id_.data() + slot[j]);
      }
      current_->size += n;
      begin += n;
      count -= n;
    }
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
  HopEdges* const out_;

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

absl::Status CheckQuery(const EdgePartition& edges, const HopQuery& query) {
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
