// The element type in which a session's batches hold features.
#ifndef TRIBUTARY_COMMON_SESSION_FEATURE_DTYPE_H_
#define TRIBUTARY_COMMON_SESSION_FEATURE_DTYPE_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/tensor/dtype.h"

namespace tributary {

// The element type of floating-point columns of x and edge_attr in batches. The
// values are part of the specification and of the wire format: codes of DType,
// or 0.
enum class FeatureDType : uint8_t {
  kStored = 0,  // as stored in the graph
  // Each row is divided by its own scale, which is in the batch as x_scale or
  // edge_attr_scale.
  kInt8 = static_cast<uint8_t>(DType::kInt8),
  kFloat16 = static_cast<uint8_t>(DType::kFloat16),
  kBFloat16 = static_cast<uint8_t>(DType::kBFloat16),
};

// The names that users write, for --feature-dtype and messages.
inline constexpr std::string_view kFeatureDTypeNames =
    "stored, float16, bfloat16, int8";
std::string_view FeatureDTypeName(FeatureDType dtype);

// Return the type of a name or code; INVALID_ARGUMENT with what is allowed.
absl::StatusOr<FeatureDType> FeatureDTypeFromName(std::string_view name);
absl::StatusOr<FeatureDType> FeatureDTypeFromCode(uint32_t code);

// Returns the type in batches of a column stored as `stored`. Integers keep
// their type.
DType DTypeInBatch(DType stored, FeatureDType asked);
// Returns whether batches hold a float32 scale per row of such a column.
bool HasScale(DType stored, FeatureDType asked);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_FEATURE_DTYPE_H_
