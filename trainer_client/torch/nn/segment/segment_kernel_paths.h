// The instruction sets that SegmentKernelPaths() chooses from.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_PATHS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_PATHS_H_

#include "trainer_client/torch/nn/segment/segment_kernels.h"

namespace tributary {

extern const SegmentKernels<float> kSegmentKernelsFloatSse4;
extern const SegmentKernels<double> kSegmentKernelsDoubleSse4;
extern const SegmentKernels<float> kSegmentKernelsFloatAvx2;
extern const SegmentKernels<double> kSegmentKernelsDoubleAvx2;

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SEGMENT_KERNEL_PATHS_H_
