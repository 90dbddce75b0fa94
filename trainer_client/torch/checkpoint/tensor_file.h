// Files of LibTorch tensors, in the safetensors format.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_TENSOR_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_TENSOR_FILE_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/checkpoint/safetensors_header.h"

namespace tributary {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Writes the tensors, of any device, to `path` (see WriteSafetensors).
// INVALID_ARGUMENT for a type that the format does not have.
absl::Status WriteTensors(const std::string& path, const NamedTensors& tensors,
                          const SafetensorsMetadata& metadata = {});

// Returns a file's tensors by name, on the CPU; they own their memory. Errors
// are those of SafetensorsFile::Open.
absl::StatusOr<std::map<std::string, at::Tensor>> ReadTensors(
    const std::string& path);

// Copies the file's values into `tensors`, which must have exactly the file's
// names, types and shapes. FAILED_PRECONDITION, naming file and tensor, if they
// have not: nothing is copied then. Errors of ReadTensors.
absl::Status LoadTensors(const std::string& path, const NamedTensors& tensors);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_TENSOR_FILE_H_
