// Arithmetic on byte counts that stops at the largest value.
#ifndef TRIBUTARY_COMMON_SESSION_SATURATING_H_
#define TRIBUTARY_COMMON_SESSION_SATURATING_H_

#include <cstdint>

namespace tributary {

// Returns a + b, or UINT64_MAX if that overflows.
constexpr uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// Returns a * b, or UINT64_MAX if that overflows.
constexpr uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_SATURATING_H_
