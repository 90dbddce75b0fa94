// Draws for many nodes at once, one SIMD lane per node. The positions are those
// of PositionDrawer on every instruction set; DrawLanesPaths() lists the
// implementations that the processor can run.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/random/philox.h"

namespace tributary {

inline constexpr size_t kDrawLanes = 16;
// The largest fanout that is drawn in lanes: the work grows with its square, so
// larger ones are drawn node by node.
inline constexpr uint32_t kMostLaneDraws = 32;

// The inputs and results of one draw per lane; unused lanes may hold anything.
// Plain arrays on purpose: an inline function called here would be compiled for
// each instruction set, and the linker would keep one copy for all.
struct LaneDraws {
  // At most kWideThreshold.
  alignas(64) uint32_t degree[kDrawLanes] = {};
  alignas(64) uint32_t local_number[kDrawLanes] = {};
  alignas(64) uint32_t tree[kDrawLanes] = {};
  // The result, [draw][lane], ascending within a lane. A lane whose degree
  // leaves nothing to draw holds all its positions and repeats the last one; a
  // lane of degree 0 holds zeros.
  alignas(64) uint32_t position[kMostLaneDraws * kDrawLanes] = {};
};

// The random words of each lane's node.
struct LaneWords {
  alignas(64) uint32_t local_number[kDrawLanes] = {};
  alignas(64) uint32_t tree[kDrawLanes] = {};
  // [word][lane]; enough for wide draws.
  alignas(64) uint32_t word[kDrawLanes * 2 * kMostLaneDraws];
};

// Draws k positions in each lane. Requires 0 < k <= kMostLaneDraws. Pure.
using DrawLanesFunction = void (*)(PhiloxKey key, uint32_t k, bool replace,
                                   LaneDraws& draws);
// Fills in at least `count` words of each lane from Philox block `first` on.
// Requires count <= 2 * kMostLaneDraws.
using FillLanesFunction = void (*)(PhiloxKey key, uint32_t first,
                                   uint32_t count, LaneWords& words);
// Sorts the first `count` positions of each lane; layout [position][lane].
using SortLanesFunction = void (*)(uint32_t count, uint32_t* position);

// The mass that each lane's row has lost to draws without replacement, as
// intervals of the row's mass, and the draw in progress. Masses are below 2^63.
struct LaneMass {
  alignas(64) uint64_t unit[kDrawLanes] = {};  // in the remaining mass
  alignas(64) uint64_t before[kDrawLanes] = {}, weight[kDrawLanes] = {};
  // [interval][lane], ascending within a lane.
  alignas(64) uint64_t befores[kMostLaneDraws * kDrawLanes] = {};
  alignas(64) uint64_t weights[kMostLaneDraws * kDrawLanes] = {};
};
// Maps each lane's `unit`, which counts in the mass that the first `count`
// intervals leave, to a unit of the row's whole mass.
using StepOverFunction = void (*)(uint32_t count, LaneMass& mass);
// Inserts each lane's {before, weight} into its first `count` intervals.
// Requires count < kMostLaneDraws.
using LoseFunction = void (*)(uint32_t count, LaneMass& mass);

// Lists given to FindSmallFunction must be readable up to a multiple of this.
inline constexpr size_t kFindAtOnce = 32;
// Finds the ids low[i] | high[i] << 32 (a null `high` means 0) whose variate's
// high word is at most `limit`, in their order: writes each i into `places`,
// the high word into `words`, and returns how many there are. The variate of an
// id is word 0 | word 1 << 32 at counter (low, high, 0, 0). Requires room for n
// in `places` and in `words`.
using FindSmallFunction = size_t (*)(PhiloxKey key, const uint32_t* low,
                                     const uint32_t* high, size_t n,
                                     uint32_t limit, uint32_t* places,
                                     uint32_t* words);
inline constexpr size_t kMostPicked = 64;
// Returns a bit for each of the first `count` words for which no more than k
// words are less or equal: the k smallest, if no two are equal. Requires count
// <= kMostPicked and kMostPicked readable words.
using PickSmallFunction = uint64_t (*)(const uint32_t* words, uint32_t count,
                                       uint32_t k);

// The functions of one instruction set.
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

// Returns the implementations that this processor can run, the fastest last;
// never empty.
absl::Span<const DrawLanesPath> DrawLanesPaths();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_H_
