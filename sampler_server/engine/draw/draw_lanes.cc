#include "sampler_server/engine/draw/draw_lanes.h"

#include <vector>

#include "sampler_server/engine/draw/draw_lanes_paths.h"

namespace tributary {
namespace {

std::vector<DrawLanesPath> FindPaths() {
  std::vector<DrawLanesPath> paths = {kDrawLanesSse4};
  if (__builtin_cpu_supports("avx2")) paths.push_back(kDrawLanesAvx2);
  if (__builtin_cpu_supports("avx512f")) paths.push_back(kDrawLanesAvx512);
  return paths;
}

}  // namespace

absl::Span<const DrawLanesPath> DrawLanesPaths() {
  static const std::vector<DrawLanesPath>* const paths =
      new std::vector<DrawLanesPath>(FindPaths());
  return *paths;
}

}  // namespace tributary
