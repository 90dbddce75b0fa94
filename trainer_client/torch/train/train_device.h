// The device that a rank trains on.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_DEVICE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_DEVICE_H_

#include <c10/core/Device.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

// UNAVAILABLE for one that this machine does not have.
absl::StatusOr<c10::Device> TrainDevice(const TrainOptions& options,
                                        int local_rank);

// Makes the device's context, of a GPU. Before the loaders: theirs is the
// context that their memory is page-locked in.
absl::Status OpenTrainDevice(const TrainOptions& options, int local_rank);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_DEVICE_H_
