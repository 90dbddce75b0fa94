// The instruction sets that DrawLanesPaths() chooses from.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_PATHS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_PATHS_H_

#include "sampler_server/engine/draw_lanes.h"

namespace tributary {

void DrawLanesSse4(PhiloxKey key, uint32_t k, bool replace, LaneDraws& draws);
void DrawLanesAvx2(PhiloxKey key, uint32_t k, bool replace, LaneDraws& draws);
void DrawLanesAvx512(PhiloxKey key, uint32_t k, bool replace, LaneDraws& draws);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_PATHS_H_
