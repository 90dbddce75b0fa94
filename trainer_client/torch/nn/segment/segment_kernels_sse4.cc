#include "trainer_client/torch/nn/segment/segment_kernel_body.h"
#include "trainer_client/torch/nn/segment/segment_kernel_paths.h"

namespace tributary {
namespace {

struct Sse4 {};

}  // namespace

extern const SegmentKernels<float> kSegmentKernelsFloatSse4 =
    MakeSegmentKernels<Sse4, float>("sse4");
extern const SegmentKernels<double> kSegmentKernelsDoubleSse4 =
    MakeSegmentKernels<Sse4, double>("sse4");

}  // namespace tributary
