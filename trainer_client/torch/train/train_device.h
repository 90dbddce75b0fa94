// Chooses and opens the device that a rank trains on. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_DEVICE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_DEVICE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/train/train_options.h"

namespace c10 {
struct Device;
}

namespace tributary {

// Returns the device that the options name: for a GPU, that of the local rank.
// UNAVAILABLE when this machine does not have it.
absl::StatusOr<c10::Device> TrainDevice(const TrainOptions& options,
                                        int local_rank);

// Creates the context of a GPU, and limits LibTorch's threads to the cores that
// this process may use, unless OMP_NUM_THREADS is set. Must be called before
// loaders are opened: they page-lock their memory in that context (PageLock).
absl::Status OpenTrainDevice(const TrainOptions& options, int local_rank);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_DEVICE_H_
