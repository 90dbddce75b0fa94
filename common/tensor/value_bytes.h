// Arrays of numbers as the bytes that files, hashes and messages have.
#ifndef TRIBUTARY_COMMON_TENSOR_VALUE_BYTES_H_
#define TRIBUTARY_COMMON_TENSOR_VALUE_BYTES_H_

#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// Returns a view of the values' bytes, little-endian: the byte order of every
// format here, and of every host that this is built for. The values must
// outlive it.
template <typename T>
absl::Span<const uint8_t> ValueBytes(absl::Span<const T> values) {
  static_assert(std::is_arithmetic_v<T>);
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(T));
}
template <typename T>
absl::Span<const uint8_t> ValueBytes(const std::vector<T>& values) {
  return ValueBytes(absl::MakeConstSpan(values));
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_VALUE_BYTES_H_
