// Draws in proportion to edge weights, exact to docs/sampling/neighbors.md.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_WEIGHTED_DRAWER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_WEIGHTED_DRAWER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/philox.h"
#include "sampler_server/engine/draw/draw.h"
#include "sampler_server/engine/draw/drawn_mass.h"
#include "sampler_server/engine/draw/weight_row.h"

namespace tributary {

// Returns below(i, n) of a wide draw from its 64 random bits.
inline uint64_t BelowOf(uint64_t word, uint64_t n) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >>
                               64);
}

// Draws for one node after another: the nodes that are not drawn in lanes.
// Keeps its scratch memory between calls. Not thread-safe.
class WeightedDrawer {
 public:
  // Returns k positions, ascending; valid until the next call. Empty if the
  // sums contradict each other. Requires a mass above 0, and without
  // replacement more than k positive weights.
  absl::Span<const uint64_t> Draw(PhiloxKey key, NodeCounter node,
                                  const WeightRow& row, uint32_t k,
                                  bool replace);

 private:
  bool DrawSuccessively(const WeightRow& row, uint32_t k, PhiloxStream& stream);

  std::vector<uint64_t> positions_;
  DrawnMass drawn_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_WEIGHTED_DRAWER_H_
