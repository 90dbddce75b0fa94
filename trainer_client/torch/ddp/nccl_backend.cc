#define USE_C10D_NCCL
#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "trainer_client/torch/ddp/cuda_backend.h"

namespace tributary {

void AddCudaBackend(const RankEnvironment& environment,
                    const c10::intrusive_ptr<c10d::Store>& store,
                    std::chrono::milliseconds timeout,
                    c10d::ProcessGroup& group) {
  if (!at::hasCUDA()) return;
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  group.setBackend(at::kCUDA, c10d::ProcessGroup::BackendType::NCCL,
                   c10::make_intrusive<c10d::ProcessGroupNCCL>(
                       store, environment.rank, environment.world, options));
}

}  // namespace tributary
