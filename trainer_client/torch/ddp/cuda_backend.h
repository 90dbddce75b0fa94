// Adds the backend by which process groups reduce CUDA tensors.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_CUDA_BACKEND_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_CUDA_BACKEND_H_

#include <chrono>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "trainer_client/torch/ddp/rank_environment.h"

namespace tributary {

// Adds the backend for CUDA tensors to `group`: NCCL in builds with
// --config=cuda (nccl_backend.cc) if a GPU is visible, otherwise none
// (no_cuda_backend.cc). Throws what LibTorch throws.
void AddCudaBackend(const RankEnvironment& environment,
                    const c10::intrusive_ptr<c10d::Store>& store,
                    std::chrono::milliseconds timeout,
                    c10d::ProcessGroup& group);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_CUDA_BACKEND_H_
