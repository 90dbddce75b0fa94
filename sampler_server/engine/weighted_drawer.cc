#include "sampler_server/engine/weighted_drawer.h"

#include <algorithm>

namespace tributary {

absl::Span<const uint64_t> WeightedDrawer::Draw(PhiloxKey key, NodeCounter node,
                                                const WeightRow& row,
                                                uint32_t k, bool replace) {
  PhiloxStream stream(key, node.local_number, node.tree);
  const auto word = [&](uint32_t i) {
    const uint64_t low = stream.Word(2 * i);
    return low | uint64_t{stream.Word(2 * i + 1)} << 32;
  };
  positions_.clear();
  if (!replace) {
    // As if all weights were equal: few are far from where that is.
    const auto near = [&](uint32_t i) {
      return BelowOf(word(i), row.degree());
    };
    const auto see = [&](uint32_t, uint64_t p) { positions_.push_back(p); };
    if (!DrawSuccessively(row, k, word, near, drawn_, see)) return {};
    std::sort(positions_.begin(), positions_.end());
    return positions_;
  }
  for (uint32_t i = 0; i < k; ++i) {
    const uint64_t bits = word(i);
    const uint64_t r = BelowOf(bits, row.mass());
    positions_.push_back(row.FindNear(r, BelowOf(bits, row.degree())));
    if (!row.Holds(positions_.back(), r)) return {};
  }
  std::sort(positions_.begin(), positions_.end());
  return positions_;
}

}  // namespace tributary
