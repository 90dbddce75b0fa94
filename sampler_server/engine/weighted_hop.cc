#include <algorithm>
#include <array>

#include "sampler_server/engine/draw_lanes.h"
#include "sampler_server/engine/hop_draws.h"
#include "sampler_server/engine/prefetch.h"
#include "sampler_server/engine/search_together.h"
#include "sampler_server/engine/weight_row.h"
#include "sampler_server/engine/weighted_drawer.h"

namespace tributary {
namespace {

constexpr auto kIsAtMost = [](uint64_t sum, uint64_t r) { return sum <= r; };

// kRange: all positions of positive weight; kLane: drawn for with others, whose
// searches wait for memory together; kAlone: large fanouts.
class WeightedPlanner {
 public:
  static constexpr size_t kGroup = kDrawLanes;
  static constexpr bool kReadsRows = true;

  explicit WeightedPlanner(const HopSource& source)
      : source_(source),
        query_(source.query),
        sums_(source.edges.weight_sum),
        k_(static_cast<uint32_t>(std::max(query_.fanout, 0))) {}

  // The row's mass, and the weights that Count looks at.
  void AskFor(uint64_t begin, uint64_t end) {
    if (begin >= end || end > sums_.size()) return;
    Prefetch(sums_.data() + end - 1);
    if (query_.replace) return;
    const uint64_t most = std::min<uint64_t>(k_ + 1, 4 * kSumsInLine);
    for (uint64_t p = begin; p < std::min(end, begin + most);
         p += kSumsInLine) {
      Prefetch(sums_.data() + p);
    }
  }

  void Begin() { lanes_ = 0; }
  bool HasRoom() const { return true; }
  void Add(HopNode&) {}

  void Count(absl::Span<HopNode> nodes) {
    for (HopNode& node : nodes) Plan(node);
  }

  void Draw(absl::Span<HopNode> nodes) {
    if (lanes_ == 0) return;
    fill_(query_.key, 2 * k_, words_);
    Search(nodes);
    if (query_.replace) return sort_(k_, positions_.data());
    for (const HopNode& node : nodes) {
      if (node.way == HopNode::Way::kLane) DrawInLane(node);
    }
  }

  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    switch (node.way) {
      case HopNode::Way::kRange:
        return EmitPositive(node, reader);
      case HopNode::Way::kLane:
        return reader.AddLane(
            node.begin, positions_.data() + node.skip * kDrawLanes + node.lane,
            node.take);
      case HopNode::Way::kAlone:
        return EmitAlone(node, reader);
    }
  }

  absl::Status Finish() const {
    if (!damaged_) return absl::OkStatus();
    return absl::DataLossError(
        "sums of weights contradict themselves: verify the graph");
  }

 private:
  static constexpr uint64_t kSumsInLine = 8;
  static constexpr size_t kMostSearches = kDrawLanes * kMostLaneDraws;

  WeightRow RowOf(const HopNode& node) const {
    return WeightRow(sums_.subspan(node.begin, node.degree));
  }

  void Plan(HopNode& node) {
    const WeightRow row = RowOf(node);
    node.way = HopNode::Way::kRange;
    node.drawn = 0;
    if (row.mass() == 0 || query_.fanout == 0) return;
    if (query_.fanout < 0) {
      node.drawn = row.CountPositive(UINT64_MAX);
      return;
    }
    node.drawn = query_.replace ? k_ : row.CountPositive(uint64_t{k_} + 1);
    if (!query_.replace && node.drawn <= k_) return;
    node.drawn = k_;
    node.way = HopNode::Way::kAlone;
    if (k_ <= kMostLaneDraws && node.degree <= UINT32_MAX) TakeLane(node, row);
  }

  void TakeLane(HopNode& node, const WeightRow& row) {
    node.way = HopNode::Way::kLane;
    node.lane = lanes_++;
    const NodeCounter counter = source_.counter(node.index);
    words_.local_number[node.lane] = counter.local_number;
    words_.tree[node.lane] = counter.tree;
    Prefetch(row.data() + row.degree() / 2);
  }

  uint64_t WideWord(uint32_t lane, uint32_t i) const {
    const uint32_t* word = words_.word + 2 * i * kDrawLanes + lane;
    return uint64_t{word[0]} | uint64_t{word[kDrawLanes]} << 32;
  }

  // positions_ of every lane as if nothing had been drawn before: what is drawn
  // with replacement, and a good guess at what is drawn without.
  void Search(absl::Span<const HopNode> nodes) {
    size_t n = 0;
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane) continue;
      const WeightRow row = RowOf(node);
      for (uint32_t i = 0; i < k_; ++i) {
        searches_[n++] = {row.data(), row.degree(),
                          BelowOf(WideWord(node.lane, i), row.mass())};
      }
    }
    SearchTogether<kMostSearches>(absl::MakeSpan(searches_.data(), n),
                                  kIsAtMost);
    n = 0;
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane) continue;
      const WeightRow row = RowOf(node);
      for (uint32_t i = 0; i < k_; ++i, ++n) {
        uint64_t p = CountBefore(searches_[n], row.data(), kIsAtMost);
        if (!row.Holds(p, searches_[n].target)) {
          damaged_ = true;
          p = 0;
        }
        positions_[i * kDrawLanes + node.lane] = static_cast<uint32_t>(p);
      }
    }
  }

  void DrawInLane(const HopNode& node) {
    uint32_t* const position = positions_.data() + node.lane;
    const bool sound = DrawSuccessively(
        RowOf(node), k_, [&](uint32_t i) { return WideWord(node.lane, i); },
        [&](uint32_t i) { return position[i * kDrawLanes]; }, drawn_);
    if (!sound) {
      damaged_ = true;
      return;
    }
    uint32_t i = 0;
    drawn_.ForEach([&](uint64_t p) {
      position[i++ * kDrawLanes] = static_cast<uint32_t>(p);
    });
  }

  template <typename Reader>
  void EmitPositive(const HopNode& node, Reader& reader) {
    const WeightRow row = RowOf(node);
    std::array<uint64_t, 64> some;
    size_t n = 0;
    uint64_t seen = 0;
    const uint64_t end = node.skip + node.take;
    for (uint64_t p = row.NextPositive(0); seen < end;
         p = row.NextPositive(p + 1)) {
      if (seen++ >= node.skip) some[n++] = p;
      if (n < some.size() && seen < end) continue;
      reader.AddPositions(node.begin, absl::MakeConstSpan(some).first(n));
      n = 0;
    }
  }

  template <typename Reader>
  void EmitAlone(const HopNode& node, Reader& reader) {
    const auto positions = drawer_.Draw(query_.key, source_.counter(node.index),
                                        RowOf(node), k_, query_.replace);
    damaged_ |= positions.empty();
    if (positions.empty()) return;
    reader.AddPositions(node.begin, positions.subspan(node.skip, node.take));
  }

  const HopSource& source_;
  const HopQuery& query_;
  const absl::Span<const uint64_t> sums_;
  const uint32_t k_;
  const FillLanesFunction fill_ = DrawLanesPaths().back().fill;
  const SortLanesFunction sort_ = DrawLanesPaths().back().sort;
  uint32_t lanes_ = 0;  // in use
  LaneWords words_;
  std::array<RangeSearch<uint64_t>, kMostSearches> searches_;
  // [draw][lane]
  alignas(64) std::array<uint32_t, kMostLaneDraws * kDrawLanes> positions_{};
  DrawnMass drawn_;
  WeightedDrawer drawer_;
  bool damaged_ = false;
};

}  // namespace

absl::Status SampleWeighted(const HopSource& source, HopEdges* out) {
  return RunHop<WeightedPlanner>(source, out);
}

}  // namespace tributary
