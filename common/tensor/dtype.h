// Element types of tensors, with the codes that digests and messages use.
#ifndef TRIBUTARY_COMMON_TENSOR_DTYPE_H_
#define TRIBUTARY_COMMON_TENSOR_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

// The type of a tensor's elements. The values are part of the batch digest and
// of the wire format.
enum class DType : uint8_t {
  kUint8 = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kFloat16 = 6,
  kBFloat16 = 7,
  kFloat32 = 8,
  kFloat64 = 9,
  kBool = 10,
};

// Returns the bytes of one element.
size_t DTypeSize(DType dtype);

// Returns the name that numpy and torch use, such as "float32"; "invalid" for a
// value that is no DType.
std::string_view DTypeName(DType dtype);

// Returns whether `dtype` is a floating-point type.
bool IsFloating(DType dtype);

// Return the DType of a code or name; INVALID_ARGUMENT if there is none.
absl::StatusOr<DType> DTypeFromCode(uint32_t code);
absl::StatusOr<DType> DTypeFromName(std::string_view name);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_DTYPE_H_
