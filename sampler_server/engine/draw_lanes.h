// Uniform draws for many nodes at once, a SIMD lane each; the same positions as
// PositionDrawer's, on every instruction set.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "common/session/philox.h"

namespace tributary {

inline constexpr uint32_t kDrawLanes = 16;
// Larger fanouts are drawn node by node: the work grows with their square.
inline constexpr uint32_t kMostLaneDraws = 32;

// A draw for each lane; those that are not needed may hold anything. Plain
// arrays: an inline function called here would be compiled for each instruction
// set, and the linker keeps one copy.
struct LaneDraws {
  // Degrees in [1, kWideThreshold]; without replacement above k.
  alignas(64) uint32_t degree[kDrawLanes] = {};
  alignas(64) uint32_t local_number[kDrawLanes] = {};
  alignas(64) uint32_t tree[kDrawLanes] = {};
  // [draw][lane], ascending within a lane. Filled by DrawLanesFunction.
  alignas(64) uint32_t position[kMostLaneDraws * kDrawLanes] = {};
};

// The random words of each lane's node.
struct LaneWords {
  alignas(64) uint32_t local_number[kDrawLanes] = {};
  alignas(64) uint32_t tree[kDrawLanes] = {};
  // [word][lane]; as many as wide draws take.
  alignas(64) uint32_t word[2 * kMostLaneDraws * kDrawLanes];
};

// Requires 0 < k <= kMostLaneDraws. Pure.
using DrawLanesFunction = void (*)(PhiloxKey key, uint32_t k, bool replace,
                                   LaneDraws& draws);
// The first `count` words, perhaps some more. Requires count <= 2 *
// kMostLaneDraws.
using FillLanesFunction = void (*)(PhiloxKey key, uint32_t count,
                                   LaneWords& words);
// Sorts each lane's first `count` of [count][lane].
using SortLanesFunction = void (*)(uint32_t count, uint32_t* position);

// One instruction set's.
struct DrawLanesPath {
  const char* name;
  DrawLanesFunction draw;
  FillLanesFunction fill;
  SortLanesFunction sort;
};

// Those that this processor can run, the best one last; never empty.
absl::Span<const DrawLanesPath> DrawLanesPaths();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_H_
