#include "sampler_server/engine/draw/drawn_mass.h"

#include <algorithm>

namespace tributary {

void DrawnMass::Insert(const DrawnInterval& interval) {
  size_t b = 0;
  while (b + 1 < used_ &&
         blocks_[b].intervals.back().before < interval.before) {
    ++b;
  }
  std::vector<DrawnInterval>& intervals = blocks_[b].intervals;
  auto at = intervals.end();
  while (at != intervals.begin() && (at - 1)->before > interval.before) --at;
  intervals.insert(at, interval);
  blocks_[b].weight += interval.weight;
  if (intervals.size() == kMostInBlock) Split(b);
}

// The upper half becomes the next block.
void DrawnMass::Split(size_t b) {
  if (used_ == blocks_.size()) blocks_.emplace_back();
  std::rotate(blocks_.begin() + b + 1, blocks_.begin() + used_,
              blocks_.begin() + used_ + 1);
  ++used_;
  Block& lower = blocks_[b];
  Block& upper = blocks_[b + 1];
  const auto half = lower.intervals.begin() + kMostInBlock / 2;
  upper.intervals.assign(half, lower.intervals.end());
  lower.intervals.erase(half, lower.intervals.end());
  upper.weight = 0;
  for (const DrawnInterval& i : upper.intervals) upper.weight += i.weight;
  lower.weight -= upper.weight;
}

}  // namespace tributary
