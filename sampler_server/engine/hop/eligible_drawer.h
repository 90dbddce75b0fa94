// Draws for nodes of which some edges may not be drawn:
// docs/sampling/neighbors.md, "Edges that are left out".
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_ELIGIBLE_DRAWER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_ELIGIBLE_DRAWER_H_

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/draw/draw.h"
#include "sampler_server/engine/draw/labor_drawer.h"
#include "sampler_server/engine/draw/weighted_drawer.h"
#include "sampler_server/engine/hop/excluded_rows.h"
#include "sampler_server/engine/hop/hop_kernel.h"

namespace tributary {

// Draws for one node after another, for every kind of draw. Scans the whole row
// and keeps one bit per position: whether it may be drawn. Not thread-safe.
class EligibleDrawer {
 public:
  explicit EligibleDrawer(const HopSource& source);

  // Returns whether some of the row's edges may be excluded.
  bool MayExclude(uint64_t row) const { return excluded_.MayHave(row); }

  // Returns how many edges the node emits.
  uint64_t Count(const HopNode& node);

  // Adds the edges [skip, skip + take) of them to `reader`.
  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    if (FindEligible(node)) return EmitAll(node, reader);
    reader.AddPositions(node.begin, Draw(node).subspan(node.skip, node.take));
  }

  // Returns DATA_LOSS if stored values were found damaged.
  absl::Status Finish() const;

 private:
  // Sets the bits of the eligible positions, and their count. Returns whether
  // all of them are emitted without a draw.
  bool FindEligible(const HopNode& node);
  void DropWithoutWeight(const HopNode& node);
  void DropOutOfTime(const HopNode& node);
  void Drop(uint64_t p) { bits_[p / 64] &= ~(uint64_t{1} << (p % 64)); }
  bool IsEligible(uint64_t p) const {
    return (bits_[p / 64] >> (p % 64) & 1) != 0;
  }
  const TimeOrder& order() const;
  NodeCounter counter(const HopNode& node) const {
    return source_.counter(node.index);
  }

  // Draws node.drawn of the eligible positions, which are more; ascending.
  absl::Span<const uint64_t> Draw(const HopNode& node);
  void DrawUniform(const HopNode& node);
  void DrawWeighted(const HopNode& node);
  void DrawInTime(const HopNode& node);
  void DrawLatest(const HopNode& node);
  void SumMass(const HopNode& node);
  bool FindMass(const HopNode& node, uint64_t unit, uint64_t* position,
                DrawnInterval* interval) const;

  template <typename Reader>
  void EmitAll(const HopNode& node, Reader& reader) {
    std::array<uint64_t, 128> some;
    size_t n = 0;
    uint64_t seen = 0;
    const uint64_t end = node.skip + node.take;
    for (size_t w = 0; w < bits_.size() && seen < end; ++w) {
      for (uint64_t left = bits_[w]; left != 0 && seen < end;
           left &= left - 1) {
        if (seen++ < node.skip) continue;
        some[n++] = w * 64 + std::countr_zero(left);
        if (n < some.size()) continue;
        reader.AddPositions(node.begin, some);
        n = 0;
      }
    }
    reader.AddPositions(node.begin, absl::MakeConstSpan(some).first(n));
  }

  const HopSource& source_;
  const HopQuery& query_;
  const bool timed_;
  const bool latest_;
  const bool replace_;
  const ExcludedRows excluded_;
  std::vector<uint64_t> bits_;  // of the last row
  uint64_t eligible_ = 0;       // set bits
  uint64_t in_time_ = 0;        // ranks of the order by time
  std::vector<uint64_t> positions_;
  std::vector<uint64_t> mass_before_;  // per 64 positions; then of the row
  PositionDrawer drawer_;
  LaborDrawer labor_;
  DrawnMass drawn_;
  bool damaged_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_ELIGIBLE_DRAWER_H_
