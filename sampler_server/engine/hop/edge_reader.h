// Implements the last stages of a hop: turns places among a partition's edges
// into neighbours and edge ids.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_READER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_READER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "common/io/prefetch.h"
#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/hop/hop.h"

namespace tributary {

// Prefetches the cache lines of the edges that are added and reads them one
// chunk later, when they have arrived. A *slot* is a place among the
// partition's edges.
template <typename Id, typename EdgeId>
class EdgeReader {
 public:
  // Requires that `out` has reserved room for everything that will be added.
  EdgeReader(absl::Span<const Id> indices, absl::Span<const EdgeId> edge_id,
             uint64_t num_src_nodes, const HopQuery& query, HopEdges* out)
      : indices_(indices),
        edge_id_(edge_id),
        num_src_nodes_(num_src_nodes),
        want_edge_ids_(query.want_edge_ids),
        want_positions_(query.want_positions),
        stop_(query.stop),
        out_(out) {}

  // Adds the slots first, first + 1, ... first + count - 1.
  void AddRange(uint64_t first, uint64_t count) {
    for (uint64_t done = 0; done < count && !stopped_;) {
      const size_t n = std::min<uint64_t>(count - done, kChunk);
      uint64_t* slot = Append(n);
      for (size_t j = 0; j < n; ++j) {
        slot[j] = first + done + j;
        if (j % 8 == 0) PrefetchEdge(slot[j]);  // a line holds at least 8
      }
      PrefetchEdge(slot[n - 1]);
      done += n;
    }
  }

  // Adds the slots begin + positions[...].
  void AddPositions(uint64_t begin, absl::Span<const uint64_t> positions) {
    while (!positions.empty() && !stopped_) {
      const size_t n = std::min(positions.size(), kChunk);
      uint64_t* slot = Append(n);
      for (size_t j = 0; j < n; ++j) {
        slot[j] = begin + positions[j];
        PrefetchEdge(slot[j]);
      }
      positions.remove_prefix(n);
    }
  }

  // Adds `count` positions of one lane, kDrawLanes apart. Requires count <=
  // kMostLaneDraws.
  void AddLane(uint64_t begin, const uint32_t* position, uint32_t count) {
    static_assert(kMostLaneDraws <= kChunk);
    uint64_t* slot = Append(count);
    for (uint32_t j = 0; j < count; ++j) {
      slot[j] = begin + position[j * kDrawLanes];
      PrefetchEdge(slot[j]);
    }
  }

  // Adds the first `count` of k positions of one lane, without a branch on
  // `count`: the others must be places of the same row, and are overwritten.
  // Requires k <= kMostLaneDraws.
  void AddUpTo(uint64_t begin, const uint32_t* position, uint32_t k,
               uint32_t count) {
    uint64_t* slot = Append(k);
    current_->size -= k - count;
    const uint64_t some = count == 0 ? 0 : UINT64_MAX;
    const uint64_t last = last_slot_ & ~some;  // prefetched before
    for (uint32_t j = 0; j < k; ++j) {
      slot[j] = ((begin + position[j * kDrawLanes]) & some) | last;
      PrefetchEdge(slot[j]);
    }
    last_slot_ = slot[0];
  }

  // Reads the remaining edges. Returns false if a neighbour was beyond the
  // source type.
  bool Finish() {
    Rotate();
    Rotate();
    return !bad_neighbor_;
  }

 private:
  // Edges whose lines are being fetched: two lines each.
  static constexpr size_t kChunk = 128;
  struct Chunk {
    size_t size = 0;
    std::array<uint64_t, kChunk> slot;
  };

  void PrefetchEdge(uint64_t slot) {
    Prefetch(indices_.data() + slot);
    if (want_edge_ids_) Prefetch(edge_id_.data() + slot);
  }

  // Returns room for the slots of `n` <= kChunk edges.
  uint64_t* Append(size_t n) {
    if (current_->size + n > kChunk) Rotate();
    uint64_t* slot = current_->slot.data() + current_->size;
    current_->size += n;
    return slot;
  }

  // Reads the chunk before the current one, whose lines have arrived.
  void Rotate() {
    std::swap(current_, before_);
    const size_t n = current_->size;
    std::array<uint64_t, kChunk> neighbor;
    bool bad = false;
    for (size_t j = 0; j < n; ++j) {
      neighbor[j] = indices_.data()[current_->slot[j]];
      bad |= neighbor[j] >= num_src_nodes_;
    }
    bad_neighbor_ |= bad;
    out_->neighbors.insert(out_->neighbors.end(), neighbor.begin(),
                           neighbor.begin() + n);
    if (want_edge_ids_) ReadEdgeIds();
    if (want_positions_) {
      out_->positions.insert(out_->positions.end(), current_->slot.begin(),
                             current_->slot.begin() + n);
    }
    current_->size = 0;
    stopped_ = ShouldStop(stop_, n);
  }

  // Reads those of the current chunk.
  void ReadEdgeIds() {
    const size_t n = current_->size;
    std::array<int64_t, kChunk> edge;
    for (size_t j = 0; j < n; ++j) {
      edge[j] = static_cast<int64_t>(edge_id_.data()[current_->slot[j]]);
    }
    out_->edge_ids.insert(out_->edge_ids.end(), edge.begin(), edge.begin() + n);
  }

  const absl::Span<const Id> indices_;
  const absl::Span<const EdgeId> edge_id_;
  const uint64_t num_src_nodes_;
  const bool want_edge_ids_;
  const bool want_positions_;
  StopCheck* const stop_;
  HopEdges* const out_;
  Chunk chunks_[2];
  Chunk* current_ = &chunks_[0];
  Chunk* before_ = &chunks_[1];
  uint64_t last_slot_ = 0;
  bool bad_neighbor_ = false;
  bool stopped_ = false;  // nothing more needs to be read
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EDGE_READER_H_
