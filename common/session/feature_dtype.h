// The precision in which a session's batches have their features.
#ifndef TRIBUTARY_COMMON_SESSION_FEATURE_DTYPE_H_
#define TRIBUTARY_COMMON_SESSION_FEATURE_DTYPE_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/tensor/dtype.h"

namespace tributary {

// What floating columns of x and edge_attr come as. The values are part of the
// specification and of the wire format: codes of DType, or 0.
enum class FeatureDType : uint8_t {
  kStored = 0,  // as the graph has them
  // Each row divided by a scale of its own, which comes beside: x_scale,
  // edge_attr_scale.
  kInt8 = static_cast<uint8_t>(DType::kInt8),
  kFloat16 = static_cast<uint8_t>(DType::kFloat16),
  kBFloat16 = static_cast<uint8_t>(DType::kBFloat16),
};

// What users write, "stored", "float16": for --feature-dtype and messages.
inline constexpr std::string_view kFeatureDTypeNames =
    "stored, float16, bfloat16, int8";
std::string_view FeatureDTypeName(FeatureDType dtype);

// INVALID_ARGUMENT with what is allowed.
absl::StatusOr<FeatureDType> FeatureDTypeFromName(std::string_view name);
absl::StatusOr<FeatureDType> FeatureDTypeFromCode(uint32_t code);

bool IsFloating(DType dtype);

// What a column stored as `stored` comes as: whole numbers stay what they are.
DType DTypeInBatch(DType stored, FeatureDType asked);
// Whether a float32 comes beside each row of it.
bool HasScale(DType stored, FeatureDType asked);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_FEATURE_DTYPE_H_
