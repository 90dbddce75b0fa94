// The instruction sets that DrawLanesPaths() chooses from.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_PATHS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_PATHS_H_

#include "sampler_server/engine/draw/draw_lanes.h"

namespace tributary {

extern const DrawLanesPath kDrawLanesSse4;
extern const DrawLanesPath kDrawLanesAvx2;
extern const DrawLanesPath kDrawLanesAvx512;

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_PATHS_H_
