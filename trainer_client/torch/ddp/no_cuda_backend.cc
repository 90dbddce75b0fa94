#include "trainer_client/torch/ddp/cuda_backend.h"

namespace tributary {

void AddCudaBackend(const RankEnvironment&,
                    const c10::intrusive_ptr<c10d::Store>&,
                    std::chrono::milliseconds, c10d::ProcessGroup&) {}

}  // namespace tributary
