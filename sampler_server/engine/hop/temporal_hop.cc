#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/draw/rank_positions.h"
#include "sampler_server/engine/draw/search_together.h"
#include "sampler_server/engine/hop/eligible_planner.h"
#include "sampler_server/engine/hop/hop_draws.h"

namespace tributary {
namespace {

constexpr auto kIsAtMost = [](int64_t time, int64_t bound) {
  return time <= bound;
};

// The neighbours that count are a prefix of the order by time, found by a
// search; what is drawn are ranks in it. kLane: small fanouts; kRange: many
// ranks that follow each other; kAlone: large fanouts and eligible prefixes.
// A node's lane is its place in the group.
class TemporalPlanner {
 public:
  static constexpr size_t kGroup = 2 * kDrawLanes;
  static constexpr bool kReadsRows = true;
  static constexpr bool kEmitsNone = false;

  explicit TemporalPlanner(const HopSource& source)
      : source_(source),
        query_(source.query),
        order_(query_.time == TimeMode::kEdge ? source.edges.edge_time
                                              : source.edges.neighbor_time),
        k_(static_cast<uint32_t>(std::max(query_.fanout, 0))) {}

  // Where the search begins.
  void PrefetchRow(uint64_t begin, uint64_t end) {
    if (begin >= end || end > order_.time.size()) return;
    Prefetch(order_.time.data() + begin + (end - begin) / 2);
  }

  uint64_t Work(const HopNode& node) const { return node.drawn; }
  void Begin() {}
  bool HasRoom() const { return true; }
  void Add(HopNode&) {}

  void Count(absl::Span<HopNode> nodes) {
    FindEligible(nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].lane = static_cast<uint32_t>(i);
      nodes[i].drawn = NumDrawn(eligible_[i], query_.fanout,
                                query_.replace && !query_.latest);
      nodes[i].way = WayOf(nodes[i]);
    }
  }

  void Draw(absl::Span<HopNode> nodes) {
    DrawRanks(nodes);
    for (const HopNode& node : nodes) {
      if (node.way == HopNode::Way::kLane) PrefetchPositions(node);
    }
    for (const HopNode& node : nodes) {
      if (node.way == HopNode::Way::kLane) ReadPositions(node);
    }
    for (LaneDraws& draws : draws_) {
      if (k_ <= kMostLaneDraws) sort_(k_, draws.position);
    }
  }

  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    const RankPositions ranks(order_.position, node.begin, node.degree);
    switch (node.way) {
      case HopNode::Way::kLane:
        return reader.AddLane(
            node.begin, RanksOf(node) + node.skip * kDrawLanes, node.take);
      case HopNode::Way::kRange:
        damaged_ |= !ranks.ForEachOfRange(
            eligible_[node.lane] - node.drawn, eligible_[node.lane], node.skip,
            node.take, scratch_,
            [&](absl::Span<const uint64_t> positions) {
              reader.AddPositions(node.begin, positions);
            },
            query_.stop);
        return;
      case HopNode::Way::kAlone:
        const auto drawn =
            drawer_.Draw(query_.key, source_.counter(node.index),
                         eligible_[node.lane], k_, query_.replace);
        damaged_ |= !ranks.Sorted(drawn, scratch_);
        return reader.AddPositions(
            node.begin,
            absl::MakeConstSpan(scratch_).subspan(node.skip, node.take));
    }
  }

  absl::Status Finish() const {
    if (!damaged_) return absl::OkStatus();
    return absl::DataLossError(
        "an order by time contradicts itself: verify the graph");
  }

 private:
  HopNode::Way WayOf(const HopNode& node) const {
    const uint64_t eligible = eligible_[node.lane];
    const bool follow_each_other = FollowEachOther(node);
    if (query_.fanout >= 0 && k_ <= kMostLaneDraws &&
        node.degree < UINT32_MAX &&
        (follow_each_other || eligible <= kWideThreshold)) {
      return HopNode::Way::kLane;
    }
    return follow_each_other ? HopNode::Way::kRange : HopNode::Way::kAlone;
  }

  // The last time that counts; false for none.
  bool BoundOf(const HopNode& node, int64_t* bound) const {
    *bound = query_.time_bound[node.index];
    if (!query_.strict) return true;
    if (*bound == std::numeric_limits<int64_t>::min()) return false;
    --*bound;
    return true;
  }

  void FindEligible(absl::Span<const HopNode> nodes) {
    size_t n = 0;
    std::array<size_t, kGroup> place;
    for (size_t i = 0; i < nodes.size(); ++i) {
      eligible_[i] = 0;
      RangeSearch<int64_t>& search = searches_[n];
      if (nodes[i].degree == 0 || !BoundOf(nodes[i], &search.target)) continue;
      search.at = order_.time.data() + nodes[i].begin;
      search.left = nodes[i].degree;
      place[n++] = i;
    }
    SearchTogether<kGroup>(absl::MakeSpan(searches_.data(), n), kIsAtMost);
    for (size_t j = 0; j < n; ++j) {
      const HopNode& node = nodes[place[j]];
      const int64_t* const time = order_.time.data() + node.begin;
      const uint64_t m = CountBefore(searches_[j], time, kIsAtMost);
      const int64_t bound = searches_[j].target;
      damaged_ |= (m > 0 && time[m - 1] > bound) ||
                  (m < node.degree && time[m] <= bound);
      eligible_[place[j]] = m;
    }
  }

  uint32_t* RanksOf(const HopNode& node) {
    return draws_[node.lane / kDrawLanes].position + node.lane % kDrawLanes;
  }

  // Ranks of every lane's node; UINT32_MAX after the last.
  void DrawRanks(absl::Span<const HopNode> nodes) {
    bool any[kGroup / kDrawLanes] = {};
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane || FollowEachOther(node)) continue;
      LaneDraws& draws = draws_[node.lane / kDrawLanes];
      any[node.lane / kDrawLanes] = true;
      const uint32_t lane = node.lane % kDrawLanes;
      const NodeCounter counter = source_.counter(node.index);
      draws.degree[lane] = static_cast<uint32_t>(eligible_[node.lane]);
      draws.local_number[lane] = counter.local_number;
      draws.tree[lane] = counter.tree;
    }
    for (size_t b = 0; b < draws_.size(); ++b) {
      if (any[b]) draw_lanes_(query_.key, k_, query_.replace, draws_[b]);
    }
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane || !FollowEachOther(node)) continue;
      uint32_t* const rank = RanksOf(node);
      const uint64_t first = eligible_[node.lane] - node.drawn;
      for (uint32_t i = 0; i < k_; ++i) {
        rank[i * kDrawLanes] =
            i < node.drawn ? static_cast<uint32_t>(first + i) : UINT32_MAX;
      }
    }
  }

  bool FollowEachOther(const HopNode& node) const {
    return query_.latest || node.drawn == 0 ||
           TakesAll(eligible_[node.lane], query_.fanout, query_.replace);
  }

  void PrefetchPositions(const HopNode& node) {
    const uint32_t* const rank = RanksOf(node);
    for (uint32_t i = 0; i < node.drawn; ++i) {
      const uint64_t slot = node.begin + rank[i * kDrawLanes];
      if (order_.position.wide()) {
        Prefetch(order_.position.wide_span().data() + slot);
      } else {
        Prefetch(order_.position.narrow_span().data() + slot);
      }
    }
  }

  void ReadPositions(const HopNode& node) {
    uint32_t* const rank = RanksOf(node);
    for (uint32_t i = 0; i < node.drawn; ++i) {
      const uint64_t p = order_.position[node.begin + rank[i * kDrawLanes]];
      damaged_ |= p >= node.degree;
      rank[i * kDrawLanes] =
          p < node.degree ? static_cast<uint32_t>(p) : uint32_t{0};
    }
  }

  const HopSource& source_;
  const HopQuery& query_;
  const TimeOrder& order_;
  const uint32_t k_;
  const DrawLanesFunction draw_lanes_ = DrawLanesPaths().back().draw;
  const SortLanesFunction sort_ = DrawLanesPaths().back().sort;
  std::array<RangeSearch<int64_t>, kGroup> searches_;
  std::array<uint64_t, kGroup> eligible_;  // by place in the group
  std::array<LaneDraws, kGroup / kDrawLanes> draws_;
  PositionDrawer drawer_;
  std::vector<uint64_t> scratch_;
  bool damaged_ = false;
};

}  // namespace

absl::Status SampleTemporal(const HopSource& source, HopEdges* out) {
  return RunPlanned<TemporalPlanner>(source, out);
}

}  // namespace tributary
