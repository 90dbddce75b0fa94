// Draws positions uniformly within one node's neighbour list, to the bit as
// docs/sampling/neighbors.md defines it.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/philox.h"

namespace tributary {

// Returns the number of edges that a node of `degree` emits. Requires fanout >=
// -1.
inline uint64_t NumDrawn(uint64_t degree, int32_t fanout, bool replace) {
  if (fanout < 0) return degree;
  const auto k = static_cast<uint64_t>(fanout);
  if (replace) return degree == 0 ? 0 : k;
  return degree < k ? degree : k;
}

// Returns whether a node emits every position without a draw.
inline bool TakesAll(uint64_t degree, int32_t fanout, bool replace) {
  return fanout < 0 || (!replace && degree <= static_cast<uint64_t>(fanout));
}

// Locates a node's random words: words 1 and 2 of their Philox counters.
struct NodeCounter {
  uint32_t local_number = 0;
  uint32_t tree = 0;
};

// Draws for one node after another: the nodes that draw_lanes.h leaves out, of
// large degree or fanout. Keeps its scratch memory between calls. Not
// thread-safe.
class PositionDrawer {
 public:
  // Returns k positions of [0, degree), ascending; valid until the next call.
  absl::Span<const uint64_t> Draw(PhiloxKey key, NodeCounter node,
                                  uint64_t degree, uint32_t k, bool replace) {
    return replace ? WithReplacement(key, node, degree, k)
                   : WithoutReplacement(key, node, degree, k);
  }
  // Draws distinct positions, all subsets equally likely (R. Floyd, in
  // Bentley's Programming Pearls, CACM 30(9), 1987). Requires 0 < k < degree.
  absl::Span<const uint64_t> WithoutReplacement(PhiloxKey key, NodeCounter node,
                                                uint64_t degree, uint32_t k);
  // Draws positions with repeats. Requires degree > 0.
  absl::Span<const uint64_t> WithReplacement(PhiloxKey key, NodeCounter node,
                                             uint64_t degree, uint32_t k);

 private:
  void FillWords(PhiloxKey key, NodeCounter node, uint32_t count);
  void FloydInWord(uint32_t degree, uint32_t k);
  void FloydInBitmap(uint32_t degree, uint32_t k);
  void FloydWide(uint64_t degree, uint32_t k);
  bool InsertHashed(uint64_t value);
  uint64_t Wide(uint32_t i, uint64_t n) const;
  uint32_t Narrow(uint32_t i, uint32_t n) const {
    return static_cast<uint32_t>((uint64_t{words_[i]} * n) >> 32);
  }

  std::vector<uint32_t> words_;
  std::vector<uint64_t> positions_;
  // One bit per position; all zero between calls.
  std::array<uint64_t, kWideThreshold / 64> bitmap_{};
  std::vector<uint64_t> hashed_;  // position + 1, or 0; a power of two
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_H_
