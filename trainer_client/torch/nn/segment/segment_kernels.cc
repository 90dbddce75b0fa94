#include "trainer_client/torch/nn/segment/segment_kernels.h"

#include <vector>

#include "trainer_client/torch/nn/segment/segment_kernel_paths.h"

namespace tributary {
namespace {

template <typename T>
std::vector<SegmentKernels<T>> FindPaths(const SegmentKernels<T>& sse4,
                                         const SegmentKernels<T>& avx2) {
  std::vector<SegmentKernels<T>> paths = {sse4};
  if (__builtin_cpu_supports("avx2")) paths.push_back(avx2);
  return paths;
}

}  // namespace

template <>
absl::Span<const SegmentKernels<float>> SegmentKernelPaths<float>() {
  static const auto* const paths = new std::vector<SegmentKernels<float>>(
      FindPaths(kSegmentKernelsFloatSse4, kSegmentKernelsFloatAvx2));
  return *paths;
}

template <>
absl::Span<const SegmentKernels<double>> SegmentKernelPaths<double>() {
  static const auto* const paths = new std::vector<SegmentKernels<double>>(
      FindPaths(kSegmentKernelsDoubleSse4, kSegmentKernelsDoubleAvx2));
  return *paths;
}

}  // namespace tributary
