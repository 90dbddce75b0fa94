#include <algorithm>
#include <array>

#include "common/io/prefetch.h"
#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/draw/weight_row.h"
#include "sampler_server/engine/draw/weighted_drawer.h"
#include "sampler_server/engine/hop/eligible_planner.h"
#include "sampler_server/engine/hop/hop_draws.h"

namespace tributary {
namespace {

// kRange: all positions of positive weight; kLane: drawn for with others, whose
// searches wait for memory together; kAlone: large fanouts.
class WeightedPlanner {
 public:
  static constexpr size_t kGroup = kDrawLanes;
  static constexpr bool kReadsRows = true;
  static constexpr bool kEmitsNone = false;

  explicit WeightedPlanner(const HopSource& source)
      : source_(source),
        query_(source.query),
        sums_(source.edges.weight_sum),
        k_(static_cast<uint32_t>(std::max(query_.fanout, 0))) {}

  // The row's mass, and the weights that Count looks at.
  void PrefetchRow(uint64_t begin, uint64_t end) {
    if (begin >= end || end > sums_.size()) return;
    Prefetch(sums_.data() + end - 1);
    if (query_.replace || end - begin > 4 * uint64_t{k_}) return;
    const uint64_t most = std::min<uint64_t>(k_ + 1, 4 * kSumsInLine);
    for (uint64_t p = begin; p < std::min(end, begin + most);
         p += kSumsInLine) {
      Prefetch(sums_.data() + p);
    }
  }

  uint64_t Work(const HopNode& node) const { return node.drawn; }
  void Begin() { lanes_ = 0; }
  bool HasRoom() const { return true; }
  void Add(HopNode&) {}

  void Count(absl::Span<HopNode> nodes) {
    for (HopNode& node : nodes) Plan(node);
  }

  void Draw(absl::Span<HopNode> nodes) {
    if (lanes_ == 0) return;
    fill_(query_.key, /*first=*/0, 2 * k_, words_);
    Search(nodes);
    if (!query_.replace) DrawSuccessively(nodes);
    sort_(k_, positions_.data());
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
  struct Open {  // a draw that the first guess missed
    const HopNode* node;
    uint32_t* position;
    uint64_t target;
  };

  WeightRow RowOf(const HopNode& node) const {
    return WeightRow(sums_.subspan(node.begin, node.degree));
  }

  void Plan(HopNode& node) {
    const WeightRow row = RowOf(node);
    node.way = HopNode::Way::kRange;
    node.drawn = 0;
    if (row.mass() == 0 || query_.fanout == 0) return;
    if (query_.fanout < 0) {
      node.drawn = row.CountPositive(UINT64_MAX, query_.stop);
      return;
    }
    node.drawn = k_;
    if (!query_.replace && !row.HasMorePositive(k_)) {
      node.drawn = row.CountPositive(k_);
      return;
    }
    node.way = HopNode::Way::kAlone;
    if (k_ <= kMostLaneDraws && node.degree <= INT32_MAX) TakeLane(node);
  }

  void TakeLane(HopNode& node) {
    node.way = HopNode::Way::kLane;
    node.lane = lanes_++;
    const NodeCounter counter = source_.counter(node.index);
    words_.local_number[node.lane] = counter.local_number;
    words_.tree[node.lane] = counter.tree;
  }

  uint64_t WideWord(uint32_t lane, uint32_t i) const {
    const uint32_t* word = words_.word + i * (2 * kDrawLanes) + lane;
    return uint64_t{word[0]} | uint64_t{word[kDrawLanes]} << 32;
  }

  // positions_ of every lane as if nothing had been drawn before: what is drawn
  // with replacement, and guesses at what is drawn without. A draw's first
  // guess is where it would be if all weights were alike; the second goes on
  // from there by the mean weight; a few need a search.
  void Search(absl::Span<const HopNode> nodes) {
    Guess(nodes);
    size_t n = 0, num_open = 0;
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane) continue;
      const WeightRow row = RowOf(node);
      const double per_mass =
          static_cast<double>(row.degree()) / static_cast<double>(row.mass());
      for (uint32_t i = 0; i < k_; ++i, ++n) {
        uint32_t& position = positions_[i * kDrawLanes + node.lane];
        uint64_t p;
        if (row.FindInWindow(target_[n], near_[n], &p)) {
          position = static_cast<uint32_t>(p);
          damaged_ |= !row.Holds(p, target_[n]);
          continue;
        }
        position = GuessFrom(row, p, target_[n], per_mass);
        PrefetchWindow(row, position);
        if (query_.replace) open_[num_open++] = {&node, &position, target_[n]};
      }
    }
    for (const Open& open : absl::MakeConstSpan(open_.data(), num_open)) {
      const WeightRow row = RowOf(*open.node);
      const uint64_t p = row.FindNear(open.target, *open.position);
      const bool sound = row.Holds(p, open.target);
      damaged_ |= !sound;
      *open.position = sound ? static_cast<uint32_t>(p) : uint32_t{0};
    }
  }

  static uint32_t GuessFrom(const WeightRow& row, uint64_t p, uint64_t target,
                            double per_mass) {
    const auto missing = static_cast<int64_t>(target - row.before(p));
    const double near =
        static_cast<double>(p) + static_cast<double>(missing) * per_mass;
    const double last = static_cast<double>(row.degree() - 1);
    // Not of a NaN, where the mass has become zero.
    return near > 0 ? static_cast<uint32_t>(std::min(near, last)) : 0;
  }

  void Guess(absl::Span<const HopNode> nodes) {
    size_t n = 0;
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane) continue;
      const WeightRow row = RowOf(node);
      const uint64_t mass = row.mass();
      for (uint32_t i = 0; i < k_; ++i, ++n) {
        const uint64_t word = WideWord(node.lane, i);
        target_[n] = BelowOf(word, mass);
        near_[n] = static_cast<uint32_t>(BelowOf(word, row.degree()));
        PrefetchWindow(row, near_[n]);
      }
    }
  }

  // A window lies in three lines at most.
  static void PrefetchWindow(const WeightRow& row, uint64_t near) {
    const uint64_t* const begin = row.data() + row.WindowAround(near);
    Prefetch(begin);
    Prefetch(begin + WeightRow::kWindow / 2);
    Prefetch(begin + WeightRow::kWindow - 1);
  }

  // Each draw of all lanes before the next: they do not wait for each other.
  void DrawSuccessively(absl::Span<const HopNode> nodes) {
    std::array<uint32_t, kDrawLanes> lanes;  // those that are drawn for
    size_t n = 0;
    for (const HopNode& node : nodes) {
      if (node.way != HopNode::Way::kLane) continue;
      lanes[n++] = node.lane;
      rows_[node.lane] = RowOf(node);
      left_[node.lane] = rows_[node.lane].mass();
    }
    const auto used = absl::MakeConstSpan(lanes.data(), n);
    for (uint32_t i = 0; i < k_; ++i) {
      for (const uint32_t lane : used) {
        mass_.unit[lane] = BelowOf(WideWord(lane, i), left_[lane]);
      }
      step_over_(i, mass_);
      for (const uint32_t lane : used) {
        TakeUnit(lane, positions_[i * kDrawLanes + lane]);
      }
      lose_(i, mass_);
    }
  }

  // `position`, below the row's degree, comes as a guess.
  void TakeUnit(uint32_t lane, uint32_t& position) {
    const WeightRow& row = rows_[lane];
    const uint64_t unit = mass_.unit[lane], p = row.FindNear(unit, position);
    // More positions are positive than are drawn.
    if (!row.Holds(p, unit) || row.weight(p) >= left_[lane]) {
      damaged_ = true;
      return;
    }
    position = static_cast<uint32_t>(p);
    mass_.before[lane] = row.before(p);
    mass_.weight[lane] = row.weight(p);
    left_[lane] -= mass_.weight[lane];
  }

  template <typename Reader>
  void EmitPositive(const HopNode& node, Reader& reader) {
    const WeightRow row = RowOf(node);
    std::array<uint64_t, 64> some;
    size_t n = 0;
    uint64_t seen = 0;
    const uint64_t end = node.skip + node.take;
    for (uint64_t p = row.NextPositive(0); seen < end && p < node.degree;
         p = row.NextPositive(p + 1)) {
      if (ShouldStop(query_.stop, 1)) return;
      if (seen++ >= node.skip) some[n++] = p;
      if (n < some.size()) continue;
      reader.AddPositions(node.begin, some);
      n = 0;
    }
    // Fewer than were counted, if the sums have changed since.
    damaged_ |= seen < end;
    reader.AddPositions(node.begin, absl::MakeConstSpan(some).first(n));
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
  const StepOverFunction step_over_ = DrawLanesPaths().back().step_over;
  const LoseFunction lose_ = DrawLanesPaths().back().lose;
  uint32_t lanes_ = 0;  // in use
  LaneWords words_;
  // By node, then by draw.
  std::array<uint64_t, kMostSearches> target_;
  std::array<uint32_t, kMostSearches> near_;
  std::array<Open, kMostSearches> open_;
  // [draw][lane]
  alignas(64) std::array<uint32_t, kMostLaneDraws * kDrawLanes> positions_{};
  // By lane, without replacement.
  std::array<WeightRow, kDrawLanes> rows_;
  std::array<uint64_t, kDrawLanes> left_;
  LaneMass mass_;
  WeightedDrawer drawer_;
  bool damaged_ = false;
};

}  // namespace

absl::Status SampleWeighted(const HopSource& source, HopEdges* out) {
  return RunPlanned<WeightedPlanner>(source, out);
}

}  // namespace tributary
