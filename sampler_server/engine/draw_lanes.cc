#include "sampler_server/engine/draw_lanes.h"

#include <vector>

#include "sampler_server/engine/draw_lanes_paths.h"

namespace tributary {
namespace {

// GCC 12's AddressSanitizer aligns what is on the stack to 32 bytes at most
// (its PR 110027).
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
constexpr bool kStackTakesVectorsOf64Bytes = false;
#else
constexpr bool kStackTakesVectorsOf64Bytes = true;
#endif

std::vector<DrawLanesPath> FindPaths() {
  std::vector<DrawLanesPath> paths = {kDrawLanesSse4};
  if (__builtin_cpu_supports("avx2")) paths.push_back(kDrawLanesAvx2);
  if (__builtin_cpu_supports("avx512f") && kStackTakesVectorsOf64Bytes) {
    paths.push_back(kDrawLanesAvx512);
  }
  return paths;
}

}  // namespace

absl::Span<const DrawLanesPath> DrawLanesPaths() {
  static const std::vector<DrawLanesPath>* const paths =
      new std::vector<DrawLanesPath>(FindPaths());
  return *paths;
}

}  // namespace tributary
