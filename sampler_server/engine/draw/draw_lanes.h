// Draws for many nodes at once, a SIMD lane each; the same positions as
// PositionDrawer's, on every instruction set.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/random/philox.h"

namespace tributary {

inline constexpr size_t kDrawLanes = 16;
// Larger fanouts are drawn node by node: the work grows with their square.
inline constexpr uint32_t kMostLaneDraws = 32;

// A draw for each lane; those that are not needed may hold anything. Plain
// arrays: an inline function called here would be compiled for each instruction
// set, and the linker keeps one copy.
struct LaneDraws {
  // At most kWideThreshold.
  alignas(64) uint32_t degree[kDrawLanes] = {};
  alignas(64) uint32_t local_number[kDrawLanes] = {};
  alignas(64) uint32_t tree[kDrawLanes] = {};
  // [draw][lane], ascending within a lane. Filled by DrawLanesFunction. Of a
  // degree that leaves nothing to draw: all positions, then the last one again;
  // of none, 0.
  alignas(64) uint32_t position[kMostLaneDraws * kDrawLanes] = {};
};

// The random words of each lane's node.
struct LaneWords {
  alignas(64) uint32_t local_number[kDrawLanes] = {};
  alignas(64) uint32_t tree[kDrawLanes] = {};
  // [word][lane]; as many as wide draws take.
  alignas(64) uint32_t word[kDrawLanes * 2 * kMostLaneDraws];
};

// Requires 0 < k <= kMostLaneDraws. Pure.
using DrawLanesFunction = void (*)(PhiloxKey key, uint32_t k, bool replace,
                                   LaneDraws& draws);
// `count` words from block `first` on, perhaps some more. Requires count <= 2 *
// kMostLaneDraws.
using FillLanesFunction = void (*)(PhiloxKey key, uint32_t first,
                                   uint32_t count, LaneWords& words);
// Sorts each lane's first `count` of [count][lane].
using SortLanesFunction = void (*)(uint32_t count, uint32_t* position);

// What each lane's row has lost to draws without replacement: intervals of the
// row's mass, and the draw under way. Masses are below 2^63.
struct LaneMass {
  alignas(64) uint64_t unit[kDrawLanes] = {};  // of the mass that is left
  alignas(64) uint64_t before[kDrawLanes] = {}, weight[kDrawLanes] = {};
  // [interval][lane], ascending within a lane.
  alignas(64) uint64_t befores[kMostLaneDraws * kDrawLanes] = {};
  alignas(64) uint64_t weights[kMostLaneDraws * kDrawLanes] = {};
};
// Each lane's `unit` of what the first `count` intervals leave becomes a unit
// of the row's whole mass.
using StepOverFunction = void (*)(uint32_t count, LaneMass& mass);
// Each lane's {before, weight} joins its first `count` intervals. Requires
// count < kMostLaneDraws.
using LoseFunction = void (*)(uint32_t count, LaneMass& mass);

// Lists for FindSmallFunction are readable to a multiple of it.
inline constexpr size_t kFindAtOnce = 32;
// Of the ids low[i] | high[i] << 32 (`high` may be null: 0), those whose
// variate's high word is at most `limit`, in their order: places[] are i,
// words[] those words; returns how many. The variate of an id is word 0 | word
// 1
// << 32 at counter (low, high, 0, 0). Both have room for n.
using FindSmallFunction = size_t (*)(PhiloxKey key, const uint32_t* low,
                                     const uint32_t* high, size_t n,
                                     uint32_t limit, uint32_t* places,
                                     uint32_t* words);
inline constexpr size_t kMostPicked = 64;
// A bit for each of the first `count` words that no more than k of them are at
// most: the k smallest where none is equal to another. Requires count <=
// kMostPicked; as many are readable.
using PickSmallFunction = uint64_t (*)(const uint32_t* words, uint32_t count,
                                       uint32_t k);

// One instruction set's.
struct DrawLanesPath {
  const char* name;
  DrawLanesFunction draw;
  FillLanesFunction fill;
  SortLanesFunction sort;
  StepOverFunction step_over;
  LoseFunction lose;
  FindSmallFunction find_small;
  PickSmallFunction pick_small;
};

// Those that this processor can run, the best one last; never empty.
absl::Span<const DrawLanesPath> DrawLanesPaths();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_H_
