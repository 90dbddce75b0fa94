#include "trainer_client/torch/nn/segment/segment_kernel_body.h"
#include "trainer_client/torch/nn/segment/segment_kernel_paths.h"

namespace tributary {
namespace {

struct Avx2 {};

}  // namespace

extern const SegmentKernels<float> kSegmentKernelsFloatAvx2 =
    MakeSegmentKernels<Avx2, float>("avx2");
extern const SegmentKernels<double> kSegmentKernelsDoubleAvx2 =
    MakeSegmentKernels<Avx2, double>("avx2");

}  // namespace tributary
