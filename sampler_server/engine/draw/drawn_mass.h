// Keeps the mass of a row's drawn positions, which later draws without
// replacement skip.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAWN_MASS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAWN_MASS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary {

// The part of a row's mass that belongs to a drawn position.
struct DrawnInterval {
  uint64_t before;  // the row's mass before the position
  uint64_t weight;
};

// A sorted list of intervals of a row's mass, kept in blocks: with thousands of
// intervals a draw looks at the blocks' sums and at one block's intervals,
// which makes O(k sqrt k) for k draws. Keeps its memory between rows. Not
// thread-safe.
class DrawnMass {
 public:
  void Clear() {
    used_ = 1;
    blocks_[0].weight = 0;
    blocks_[0].intervals.clear();
  }

  // Maps unit `r` of the mass that is left to a unit of the row's whole mass:
  // for each interval, ascending, that begins at r or before, r grows by its
  // weight. Later intervals begin later by at least that much, so the search
  // ends at the first one that r does not reach.
  uint64_t StepOver(uint64_t r) const {
    for (size_t b = 0; b < used_; ++b) {
      const Block& block = blocks_[b];
      if (block.intervals.empty()) return r;
      const DrawnInterval& last = block.intervals.back();
      if (r + (block.weight - last.weight) < last.before) {
        return StepWithin(block, r);
      }
      r += block.weight;
    }
    return r;
  }

  void Insert(const DrawnInterval& interval);

 private:
  static constexpr size_t kMostInBlock = 1024;
  struct Block {
    uint64_t weight = 0;
    std::vector<DrawnInterval> intervals;
  };

  static uint64_t StepWithin(const Block& block, uint64_t r) {
    for (const DrawnInterval& i : block.intervals) {
      if (r < i.before) break;
      r += i.weight;
    }
    return r;
  }
  void Split(size_t b);

  std::vector<Block> blocks_{1};
  size_t used_ = 1;  // blocks in use, from the front; the others keep memory
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAWN_MASS_H_
