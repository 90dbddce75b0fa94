#include "trainer_client/torch/train/train_device.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

#include "common/runtime/usable_cores.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"

namespace tributary {

absl::StatusOr<c10::Device> TrainDevice(const TrainOptions& options,
                                        int local_rank) {
  if (options.device == "cpu" || (options.device == "auto" && !at::hasCUDA())) {
    return at::Device(at::kCPU);
  }
  if (!at::hasCUDA()) {
    return absl::UnavailableError(
        "device cuda: no GPU is visible, or this program was built without "
        "--config=cuda");
  }
  // Without LOCAL_RANK the local rank is RANK, which counts over all machines:
  // modulo the GPUs of this one it is right where machines are alike and ranks
  // fill one after another. Not yet run on more than one machine with GPUs.
  const int num_gpus = std::max(1, static_cast<int>(at::getNumGPUs()));
  return at::Device(at::kCUDA,
                    static_cast<c10::DeviceIndex>(local_rank % num_gpus));
}

absl::Status OpenTrainDevice(const TrainOptions& options, int local_rank) {
  // LibTorch takes a thread per core of the machine, whatever a cgroup allows.
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    at::set_num_threads(std::min(at::get_num_threads(), UsableCores()));
  }
  ASSIGN_OR_RETURN(const c10::Device device, TrainDevice(options, local_rank));
  if (device.is_cpu()) return absl::OkStatus();
  return CatchTorch("device", [&] {
    at::empty({1}, device);
    return absl::OkStatus();
  });
}

}  // namespace tributary
