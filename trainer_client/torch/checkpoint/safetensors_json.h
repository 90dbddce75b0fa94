// Reads the JSON of a safetensors header, before its offsets are checked.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_JSON_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_JSON_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"
#include "trainer_client/torch/checkpoint/safetensors_header.h"

namespace tributary {

inline constexpr absl::string_view kSafetensorsMetadata = "__metadata__";

// Returns the format's name of a type, such as "F32".
absl::string_view SafetensorsDType(DType dtype);

// Returns "tensor 'NAME': WHAT" as DATA_LOSS; the name is escaped and cut.
absl::Status SafetensorsDamage(absl::string_view tensor,
                               absl::string_view what);

// Returns the entries in the order of the JSON, with offsets as they are.
// DATA_LOSS, naming tensor and key, for anything but objects of the format:
// other keys, keys that occur twice, other types of values, deeper nesting.
absl::StatusOr<SafetensorsHeader> ReadSafetensorsJson(std::string_view json);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_JSON_H_
