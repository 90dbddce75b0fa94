#include "sampler_server/engine/draw/weighted_drawer.h"

#include <algorithm>

namespace tributary {
namespace {

uint64_t WideWord(PhiloxStream& stream, uint32_t i) {
  const uint64_t low = stream.Word(2 * i);
  return low | uint64_t{stream.Word(2 * i + 1)} << 32;
}

}  // namespace

absl::Span<const uint64_t> WeightedDrawer::Draw(PhiloxKey key, NodeCounter node,
                                                const WeightRow& row,
                                                uint32_t k, bool replace) {
  PhiloxStream stream(key, node.local_number, node.tree);
  positions_.clear();
  if (!replace) {
    if (!DrawSuccessively(row, k, stream)) return {};
    std::sort(positions_.begin(), positions_.end());
    return positions_;
  }
  for (uint32_t i = 0; i < k; ++i) {
    const uint64_t bits = WideWord(stream, i);
    const uint64_t r = BelowOf(bits, row.mass());
    positions_.push_back(row.FindNear(r, BelowOf(bits, row.degree())));
    if (!row.Holds(positions_.back(), r)) return {};
  }
  std::sort(positions_.begin(), positions_.end());
  return positions_;
}

// Each of k draws in proportion to the weights that are left. A first guess is
// where it would be were all weights equal: few are far from there.
bool WeightedDrawer::DrawSuccessively(const WeightRow& row, uint32_t k,
                                      PhiloxStream& stream) {
  drawn_.Clear();
  uint64_t left = row.mass();
  for (uint32_t i = 0; i < k; ++i) {
    const uint64_t bits = WideWord(stream, i);
    const uint64_t r = drawn_.StepOver(BelowOf(bits, left));
    const uint64_t position = row.FindNear(r, BelowOf(bits, row.degree()));
    if (!row.Holds(position, r)) return false;
    const uint64_t weight = row.weight(position);
    if (weight >= left) return false;  // more positions are positive
    left -= weight;
    drawn_.Insert({row.before(position), weight});
    positions_.push_back(position);
  }
  return true;
}

}  // namespace tributary
